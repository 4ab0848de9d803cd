# `make` lists what there is. Everything a target makes lies in .venv, .dpp and .peers, inside the clone.

PYTHON ?= python3
FOLLOW ?= yes
PYTEST_ARGS ?=

VENV := .venv/bin
ALL_ACTORS := worker,canceller,reaper,reconcile
STACK := $(VENV)/python -m devstack
# Stopping and looking need no installed packages: they must work when .venv is broken or gone.
LOOK = $$($(VENV)/python -c 'print("$(VENV)/python")' 2>/dev/null || echo $(PYTHON)) -m devstack

# For tools that read the settings and connect to nothing.
STATIC := DJANGO_SETTINGS_MODULE=tests.static_settings

.DEFAULT_GOAL := help
.PHONY: help up down status logs clean install install-stack test lint unit prove-pgbouncer format lock openapi \
	test-redis-cluster examples fuzz prove-privacy torture torture-combined torture-recovery explore bench load bench-plans bench-audit bench-fairness bench-events bench-ocr bench-packs bench-hostile bench-sandbox bench-peers simulate \
	test-browser typescript test-typescript test-mcp-conformance

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

up: install-stack ## install, start everything, show one run from receipt to verified result
	@$(STACK) up

down: ## stop everything that `make up` started
	@$(LOOK) down

status: ## what runs, since when, and whether it answers
	@$(LOOK) status

logs: ## follow all logs; `make logs FOLLOW=` prints their last lines
	@$(LOOK) logs $(if $(FOLLOW),--follow)

clean: down ## stop, then remove .dpp (with all its data), .venv and caches
	rm -rf .dpp .dpp-test .peers .venv .node .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

install: REQUIREMENTS := requirements-dev.txt
install-stack: REQUIREMENTS := requirements-stack.txt
install install-stack: ## make .venv and install what is needed, if that changed
	@command -v $(PYTHON) >/dev/null || { \
		echo "Cannot go on: there is no $(PYTHON): install Python 3.11 or newer, or name one: make up PYTHON=…"; \
		exit 1; }
	@$(PYTHON) devstack/install.py $(REQUIREMENTS)

test: lint unit ## lint, types, import rules and all tests; needs nothing running, leaves nothing running

unit: install ## the tests alone; `make unit PYTEST_ARGS="tests/devstack -x"` for some of them
	$(VENV)/python -m pytest -n 2 --dist loadfile $(PYTEST_ARGS)

prove-pgbouncer: install ## single flight behind a real PgBouncer, the machine's own or Debian's package (no root)
	$(VENV)/python -m pytest tests/cache/prove_pgbouncer.py

test-redis-cluster: install ## the tests of money, races and histories on a real Redis cluster of three servers; faults of one
	$(VENV)/python -m pytest tests/integration/test_redis_cluster.py tests/integration/prove_redis_cluster.py
	DPP_TEST_REDIS=cluster $(VENV)/python -m pytest -n 2 --dist loadfile -m "not one_redis_server" \
		$(or $(PYTEST_ARGS),tests/budget tests/race tests/property tests/integration/test_spine.py)

lint: install ## ruff, mypy, import rules
	$(VENV)/ruff check .
	$(VENV)/ruff format --check .
	$(VENV)/mypy
	$(VENV)/lint-imports

format: install ## let ruff put the code in order
	$(VENV)/ruff check --fix .
	$(VENV)/ruff format .

# In this order: the later ones take the versions of the earlier ones.
LOCKED := requirements requirements-stack requirements-dev docker/requirements-aws bench/load/requirements \
	bench/peers/dbos bench/peers/procrastinate bench/peers/prefect

lock: install ## write requirements*.txt anew from requirements*.in, with the hashes of all files of each package
	@test -x $(VENV)/uv || $(VENV)/python -m pip install --quiet --disable-pip-version-check uv
	@for name in $(LOCKED); do \
		echo "$$name.in -> $$name.txt"; \
		$(VENV)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate \
			--generate-hashes --no-emit-index-url --no-emit-find-links \
			"$$name.in" --output-file "$$name.txt" || exit 1; \
	done

openapi: install ## write openapi.json and what follows from it anew, unless that breaks callers; BREAK=1 all the same
	$(STATIC) $(VENV)/python -m tests.api.breaking_changes openapi.json $(if $(BREAK),|| true)
	$(STATIC) $(VENV)/python -m tests.api.write_documents .

examples: install ## send one run per pack through the platform; writes docs/examples and docs/transcripts.md
	PYTHONPATH=clients/python/src $(VENV)/python -m tests.examples

fuzz: install ## schemathesis with all checks against the running API and event gateway; 10,000 looks for a leak
	DPP_FUZZ_EXAMPLES=600 $(VENV)/python -m pytest tests/api/test_fuzz.py tests/api/prove_stealth.py -q -s

prove-privacy: install ## whether a tenant can tell by the time what another had fetched: 4,000 pages of each kind
	DPP_PRIVACY_ROUNDS=4000 $(VENV)/python -m pytest tests/security/test_tenant_privacy.py -q -s

torture: install ## every fault of the catalogue, then combined ones, then recovery: two hours; DOCS=1 writes docs/reliability.md
	$(VENV)/python -m tests.torture $(if $(DOCS),--docs)
	$(VENV)/python -m tests.torture.combined $(if $(DOCS),--docs) --minutes $(or $(MINUTES),30) $(if $(SEED),--seed $(SEED))
	$(VENV)/python -m tests.torture.recovery $(if $(DOCS),--docs)

torture-combined: install ## two or three faults at once, with failovers, for MINUTES=30; SEED=n inflicts the same again
	$(VENV)/python -m tests.torture.combined $(if $(DOCS),--docs) --minutes $(or $(MINUTES),30) $(if $(SEED),--seed $(SEED))

torture-recovery: install ## what is lost and for how long: a lagging standby promoted, a backup restored to a moment
	$(VENV)/python -m tests.torture.recovery $(if $(DOCS),--docs)

explore: install ## claim, money, commit, rebuild and failover in every order: every state must have a way out
	DPP_EXPLORE_ACTORS=$(or $(ACTORS),$(ALL_ACTORS)) DPP_EXPLORE_FAULTS=$(or $(FAULTS),1) \
		$(VENV)/python -m pytest tests/property/test_explorer.py -q -s

bench: install ## speed as ratios, growth to a million runs and 10^5 tenants; an hour; writes docs/performance.md
	$(VENV)/python -m bench.speed

load: install ## 3,000 agents in two scenarios along a ramp, with locust; 26 minutes; each ends with the audit
	@$(VENV)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r bench/load/requirements.txt
	$(VENV)/python -m bench.load

bench-peers: install ## beside Prefect, DBOS and Procrastinate, each in an environment of its own; writes docs/performance.md
	$(VENV)/python -m bench.peers

simulate: install ## capacity by simulation, checked against measured points (MEASURE=1 measures them); writes docs/capacity.md
	$(VENV)/python -m bench.simulation $(if $(MEASURE),--measure)

bench-plans: install ## what the beat jobs read with a million runs; writes docs/query-plans.md
	$(VENV)/python -m bench.plans

bench-audit: install ## a pass of the standing audit with 10^5 tenants and 10^7 entries; SIZES="--tenants 1000 …" for less
	$(VENV)/python -m bench.audit $(SIZES)

bench-fairness: install ## a tenant's first run beside another's backlog of 2,000 runs, as a ratio; BACKLOG=10000 for more
	$(VENV)/python -m bench.fairness $(BACKLOG)

bench-events: install ## 3,000 listeners on one event gateway; WAITERS=1 callers of ?wait= instead
	$(VENV)/python bench/events.py $(if $(WAITERS),--waiters)

test-browser: install ## the operator's daily paths in a real Chromium
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || \
		{ [ "$$(id -u)" = 0 ] && apt-get install -y --no-install-recommends chromium chromium-driver; } || \
		{ echo "Chromium is missing: run 'apt-get install chromium chromium-driver' as root."; exit 1; }
	$(VENV)/python -m pytest tests/admin/browser/daily_paths.py

# The packages lie beside the clone's own files, not in the client's folder: it holds what is published, and nothing else.
.node/installed: clients/typescript/package.json clients/typescript/package-lock.json
	@command -v npm >/dev/null || { echo "Cannot go on: there is no npm: install Node 20 or newer."; exit 1; }
	@mkdir -p .node && cp clients/typescript/package.json clients/typescript/package-lock.json .node/
	npm ci --prefix .node --no-audit --no-fund --ignore-scripts && touch $@

typescript: install .node/installed ## compile the TypeScript client; writes clients/typescript/dist
	$(STATIC) $(VENV)/python -m tests.clients.typescript

test-typescript: install .node/installed ## compile the TypeScript client strictly and run it against real processes
	DPP_REQUIRE_TYPESCRIPT=1 $(VENV)/python -m pytest tests/clients/test_typescript.py tests/clients/compile_typescript.py -q -rs

.node/conformance/installed: tests/mcp/conformance/package.json tests/mcp/conformance/package-lock.json
	@command -v npm >/dev/null || { echo "Cannot go on: there is no npm: install Node 20 or newer."; exit 1; }
	@mkdir -p .node/conformance && cp tests/mcp/conformance/*.json .node/conformance/
	npm ci --prefix .node/conformance --no-audit --no-fund --ignore-scripts && touch $@

test-mcp-conformance: install .node/conformance/installed ## MCP's official conformance suite against the gateway; fetches Node 22 for it
	$(VENV)/python -m pytest tests/mcp/prove_conformance.py -q -n 0

bench-ocr: install ## the ocr pack beside the bare engine: drawn pages, or REAL=folder with truth.json; writes docs/packs-ocr.md
	$(VENV)/python -m bench.ocr $(if $(REAL),--real $(REAL))

bench-packs: install ## every pack on its labelled cases; writes the tables of docs/packs-*.md (CASES=folder for further cases)
	$(VENV)/python -m bench.packs

bench-sandbox: install ## what the readers' confinement costs: the same 20 pages with and without it; DOCS=1 writes docs/sandbox.md
	$(VENV)/python -m bench.sandbox $(if $(DOCS),--docs)

bench-hostile: install ## the worst bodies for every pack: processor time and memory of each, without any server
	$(VENV)/python -m bench.hostile
