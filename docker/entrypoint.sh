#!/bin/sh
# One image, several roles. Every role ends on SIGTERM by itself: exec hands it over.
set -eu

CELERY="celery -A dpp_project"
# What these switch off needs broadcasts, which SQS does not have.
QUIET="--without-gossip --without-mingle --without-heartbeat --loglevel INFO"
PREFIX=${DPP_SQS_QUEUE_PREFIX:-dpp}
HOST=${HOST:-0.0.0.0}

role=${1:-api}
[ $# -gt 0 ] && shift

# Processes of one container count together; a new life begins with an empty directory.
count_together() {
  PROMETHEUS_MULTIPROC_DIR=${PROMETHEUS_MULTIPROC_DIR:-$(mktemp -d)}
  export PROMETHEUS_MULTIPROC_DIR
}

case "$role" in
  setup) # once per release, before anything else of it starts
    python manage.py setup_database
    exec python manage.py bootstrap_storage "$@" ;;
  api)
    count_together
    exec granian --interface wsgi --host "$HOST" --port "${PORT:-8000}" --workers "${DPP_API_WORKERS:-2}" \
      --blocking-threads "${DPP_API_THREADS:-16}" --backlog 4096 --backpressure "${DPP_API_BACKPRESSURE:-4096}" \
      --respawn-failed-workers --workers-kill-timeout 10 --no-ws --http 1 --http1-header-read-timeout 10000 "$@" \
      dpp_project.wsgi:application ;;
  events)
    exec python -m runs.gateway --host "$HOST" --port "${PORT:-8002}" "$@" ;;
  mcp)
    exec python -m runs.mcp --transport http --host "$HOST" --port "${PORT:-8001}" "$@" ;;
  worker) # worker [quick|fetch|ocr]: of one kind of work, with slots of its own; without a word, of all kinds
    count_together
    queues=
    case "${1:-}" in quick | fetch | ocr) kinds=$1 && shift ;; *) kinds="quick fetch ocr" ;; esac
    for kind in $kinds; do
      stem=$PREFIX-runs-$kind
      [ "$kind" = quick ] && stem=$PREFIX-runs
      queues=${queues:+$queues,}$stem,$stem-backlog
    done
    exec $CELERY worker -Q "$queues" --concurrency "${DPP_WORKER_CONCURRENCY:-4}" $QUIET "$@" ;;
  maintenance)
    count_together
    exec $CELERY worker -Q "$PREFIX-maintenance" --concurrency 1 $QUIET "$@" ;;
  reaper) # whatever the other jobs do, runs of dead workers end in their time
    exec python manage.py reap --forever "$@" ;;
  webhooks) # receivers are other people's servers: waiting for them keeps nothing else waiting
    exec python manage.py send_webhooks --forever "$@" ;;
  beat) # exactly one
    exec $CELERY beat --schedule "${TMPDIR:-/tmp}/celerybeat-schedule" --pidfile= --loglevel INFO "$@" ;;
  manage)
    exec python manage.py "$@" ;;
  *)
    echo "dpp: unknown role '$role': use setup, api, events, mcp, worker, maintenance, reaper, webhooks, beat or manage" >&2
    exit 64 ;;
esac
