# Rapport's commands; `make help` lists them. Any POSIX shell will do, -j does no harm, the path may have spaces.

PYTHON ?= python3
PORT ?= 8000
TESTERS ?= 3

RUN = .venv/bin/python
MANAGE = $(RUN) manage.py
# Through the environment, so that quotes and spaces in them reach the command as they are.
export CONVERSATION SPEAKER PORT RECIPE

LOCK = .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
  --no-emit-index-url --custom-compile-command "make lock"
CODE = config web providers worker relationships memory knowledge context summaries behaviours workspace chat connect upkeep demo \
  admin_ui benchmarks scripts tests clients/python/src/rapport_client clients/python/generate.py manage.py
SCHEMA = docs/reference/openapi.json
GENERATED = clients/python/src/rapport_client/generated/operations.py

.DEFAULT_GOAL := help
.PHONY: help venv venv-dev demo run demo-citus stop test test-citus screenshots drills bench check format openapi bench-recall bench-pages bench-peers bench-scale soak lock clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' Makefile

venv: ## make or renew the environment in .venv (every command below does this itself)
venv-dev: ## the same, plus what tests, checks and measurements need

venv venv-dev:
	@"$(PYTHON)" -c "import sys; sys.exit(sys.version_info < (3, 7))" 2>/dev/null || { \
	  echo "Rapport needs Python 3.11 or newer; $(PYTHON) is missing or far too old. Install it:"; \
	  echo "    apt install python3 python3-venv     (with sudo, if you are not root)"; exit 1; }
	@"$(PYTHON)" scripts/environment.py $(if $(filter venv-dev,$@),dev)
	@$(if $(filter venv-dev,$@),$(MAKE) --silent --no-print-directory $(GENERATED))

$(GENERATED): $(SCHEMA) clients/python/generate.py
	@$(RUN) clients/python/generate.py

demo: venv ## start everything, play a conversation, show what is remembered; RECIPE=two_call; CONVERSATION=file for your own
	@$(MANAGE) demo --port "$$PORT" $${RECIPE:+--recipe "$$RECIPE"} $${CONVERSATION:+--conversation "$$CONVERSATION"} \
	  $${SPEAKER:+--as "$$SPEAKER"}

run: venv ## run the service in the foreground, until Ctrl-C; PORT=8000
	@$(MANAGE) serve --port "$$PORT"

stop: venv ## stop the service and the embedded database
	@$(MANAGE) stop

# Images of Python set the variable: each of some hundred processes would compile all of the code anew.
test: venv-dev ## run the tests, in TESTERS=3 processes; ARGS="-k name" for some
	@$(RUN) scripts/chromium.py
	@env -u PYTHONDONTWRITEBYTECODE $(RUN) -m pytest -q --numprocesses=$(TESTERS) --no-loadscope-reorder $(ARGS)

test-citus: venv-dev ## run the integration tests on a Citus coordinator and two workers; ARGS="tests/integration/distributed" for some, ARGS=tests/acceptance/drills/test_nodes.py: lose a node, add one
	@$(RUN) -m scripts.citus test $(ARGS)

demo-citus: venv ## run the demo on a Citus coordinator and two workers
	@$(RUN) -m scripts.citus demo --port "$$PORT"

screenshots: venv-dev ## take screenshots of every page in four looks, in .data/screenshots, and renew the pictures in README and docs
	@$(RUN) scripts/chromium.py
	@RAPPORT_SCREENSHOTS=.data/screenshots $(RUN) -m pytest -q tests/acceptance/browser/test_every_page.py
	@$(RUN) -m scripts.screenshots

drills: venv-dev ## run the long drills: real processes, killed while they work; every growth and fuzz case; each benchmark once; RECIPE=two_call or RECIPE=all
	@env -u PYTHONDONTWRITEBYTECODE RAPPORT_DRILLS=long RAPPORT_DRILLS_RECIPE="$${RECIPE:-scratchpad}" \
	  $(RUN) -m pytest -m drill $(ARGS)

bench-recall: venv-dev ## measure how often a search finds the answer to a question; RAPPORT_DATA=folder of the data sets
	@$(RUN) -m benchmarks.recall $(ARGS)

bench: venv-dev ## measure: contexts, intake, ingestion
	@$(RUN) -m benchmarks $(ARGS)

bench-pages: venv-dev ## measure the admin UI's pages with a project of 1,000,000 messages; ARGS="--relationships 500 --messages 50000"
	@$(RUN) -m benchmarks.pages $(ARGS)

bench-scale: venv-dev ## measure 100, 10,000 and 1,000,000 relationships (40 GB of disk); ARGS="--relationships 100 10000" for fewer; CITUS=1: what Citus nodes cost
	@$(RUN) -m benchmarks.scale $(if $(CITUS),--citus) $(ARGS)

soak: venv-dev ## use the whole service at a steady rate for 20 minutes, then check every invariant; MINUTES=2 for less
	@$(RUN) -m benchmarks.soak --minutes "$${MINUTES:-20}" $(ARGS)

bench-peers: venv-dev ## compare with mem0, LangMem and a plain baseline; ARGS="--quick", ARGS="--only waits"
	@$(RUN) -m benchmarks.peers $(ARGS)

check: venv-dev ## check lint, types, imports, migrations and OpenAPI
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy $(CODE)
	.venv/bin/lint-imports
	$(MANAGE) makemigrations --check --dry-run
	@$(MANAGE) spectacular --format openapi-json --validate --fail-on-warn | cmp -s - $(SCHEMA) || { \
	  echo "$(SCHEMA) is out of step with the code. Run 'make openapi' and commit it."; exit 1; }

format: venv-dev ## format the code
	@$(RUN) -m ruff check --fix .
	@$(RUN) -m ruff format .

lock: venv ## pin what the image installs, with hashes, after a change of requirements.txt
	@sed '/^# the embedded database/,$$d' requirements.txt | $(LOCK) --output-file requirements.lock -
	@for extra in local tracing; do $(LOCK) --constraints requirements.lock \
	  --output-file requirements-$$extra.lock requirements-$$extra.txt || exit 1; done

openapi: venv-dev ## regenerate docs/reference/openapi.json and the part of the Python client made from it
	@$(MANAGE) spectacular --format openapi-json --validate --fail-on-warn > $(SCHEMA).new && \
	  mv $(SCHEMA).new $(SCHEMA) || { rm -f $(SCHEMA).new; exit 1; }
	@$(RUN) clients/python/generate.py

clean: ## remove the environment and every cache; what is remembered (.data) stays
	@rm -rf $(dir $(GENERATED)) .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache staticfiles
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
	@echo "Cleaned. What is remembered is still in .data; stop the service with 'make stop' before you remove that."
