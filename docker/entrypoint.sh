#!/bin/sh
# One image, several roles. Every role ends on SIGTERM by itself: exec hands it over.
set -eu

CELERY="celery -A dpp_project"
QUIET="--without-gossip --without-mingle --without-heartbeat --loglevel INFO"

role=${1:-api}
[ $# -gt 0 ] && shift

case "$role" in
  api)
    exec granian --interface wsgi --host 0.0.0.0 --port "${PORT:-8000}" --workers "${DPP_API_WORKERS:-2}" \
      --blocking-threads "${DPP_API_THREADS:-8}" --no-ws "$@" dpp_project.wsgi:application ;;
  worker)
    exec $CELERY worker -Q "${DPP_SQS_QUEUE_PREFIX:-dpp}-runs" --concurrency "${DPP_WORKER_CONCURRENCY:-2}" $QUIET "$@" ;;
  maintenance)
    exec $CELERY worker -Q "${DPP_SQS_QUEUE_PREFIX:-dpp}-maintenance" --concurrency 1 $QUIET "$@" ;;
  beat)
    exec $CELERY beat --schedule /tmp/celerybeat-schedule --pidfile= --loglevel INFO "$@" ;;
  manage)
    exec python manage.py "$@" ;;
  *)
    echo "dpp: unknown role '$role': use api, worker, maintenance, beat or manage" >&2
    exit 64 ;;
esac
