# Jupyter Cabinet. `make run` opens it, `make test` checks everything; both install what they need, once.
# Needs Python 3.11+ with venv, Node 20.19+ or 22.12+, and for the browser tests Chromium.

PYTHON ?= python3
PORT ?= 8888
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
FRONTEND := jupyter_cabinet/labextension/package.json
CLIS := .cache/clis
# Node comes with them: some need a newer one than the machine has.
AGENT_CLIS := node@24 @anthropic-ai/claude-code@2.1.329 @openai/codex@0.169.0 @google/gemini-cli@0.61.0 \
	opencode-ai@1.18.33 @earendil-works/pi-coding-agent@0.87.1 pi-acp@0.0.34
# What JupyterHub needs besides its Python package, which is among the test requirements.
HUB_PROXY := configurable-http-proxy@5.3.0
# `make test-cli OPENCLAW=1` tries this one too: it takes 650 MB and minutes.
ifdef OPENCLAW
AGENT_CLIS += openclaw@2026.9.6
export JUPYTER_CABINET_TEST_OPENCLAW := 1
endif
CLIS_INSTALLED := $(CLIS)/.installed$(if $(OPENCLAW),-openclaw)
# `make test-cli LARGE=1` tries these ACP adapters too: they bring their CLIs once more, 0.9 GB.
ACP_ADAPTERS := @agentclientprotocol/claude-agent-acp@0.100.0 @agentclientprotocol/codex-acp@2.6.0
ifdef LARGE
export JUPYTER_CABINET_TEST_LARGE := $(CURDIR)/$(CLIS)-large
LARGE_INSTALLED := $(CLIS)-large/.installed
endif
export UV_PYTHON_DOWNLOADS := never
# Empty, so that Python keeps compiled files: otherwise each of the suite's many processes compiles everything again.
export PYTHONDONTWRITEBYTECODE :=
export PATH := $(CURDIR)/$(BIN):$(PATH)
# A larger space for new objects: the linters and jest spend a fifth less on collecting garbage.
lint test-frontend: export NODE_OPTIONS += --max-semi-space-size=128

.PHONY: run install test test-long test-slice test-docker lint test-python test-frontend test-browser test-cli benchmark generate format wheel clean

run: install
	$(BIN)/python scripts/run.py --port $(PORT) $(ARGS)

# Python's packages and those of the frontend are installed at the same time.
install:
	@$(MAKE) --no-print-directory -j2 $(STAMPS)/linked

# Four shards although two cores are common, because many tests wait. The first has all browser tests. In a fresh clone
# one shard begins earlier, so that not each of them compiles the modules that all import.
PYTEST := $(BIN)/python -m pytest --durations=10 --ignore=tests/cli
HEAD_START := $(if $(wildcard tests/__pycache__),0,20)
test: install
	$(BIN)/python scripts/side_by_side.py --head-start=$(HEAD_START) $(PYTEST) --shard=2/4 $(ARGS) :: \
		$(MAKE) --no-print-directory lint test-frontend :: $(PYTEST) --shard=3/4 $(ARGS) :: \
		$(PYTEST) --shard=4/4 $(ARGS) :: $(PYTEST) --shard=1/4 $(ARGS)

$(STAMPS)/python: constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -r constraints.txt
	mkdir -p $(STAMPS) && touch $@

labextension/node_modules/.installed: labextension/package-lock.json
	cd labextension && npm ci --no-audit --no-fund
	touch $@

$(FRONTEND): $(STAMPS)/python labextension/node_modules/.installed labextension/package.json labextension/build.config.js labextension/tsconfig.json \
		$(shell find labextension/src labextension/style labextension/schema -type f)
	cd labextension && npm run --silent build:prod
	touch $@

# A development build counts as none: what is tried, tested and packed is the production build.
ifneq ($(wildcard jupyter_cabinet/labextension/static/*.map),)
.PHONY: $(FRONTEND)
endif

# The old link goes first: a second editable install would write through it into the tree.
$(STAMPS)/linked: $(STAMPS)/python pyproject.toml $(FRONTEND)
	rm -rf $(VENV)/share/jupyter/labextensions/jupyter-cabinet
	HATCH_JUPYTER_BUILDER_SKIP_NPM=1 $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e .
	rm -rf $(VENV)/share/jupyter/labextensions/jupyter-cabinet
	$(BIN)/jupyter-builder develop . --overwrite
	touch $@

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd labextension && npm run --silent lint:check

test-frontend: install
	cd labextension && npm test --silent

# COVERAGE=1 measures which branches are reached; not together with ARGS that choose tests.
test-python: install
ifdef COVERAGE
	$(BIN)/python scripts/side_by_side.py $(PYTEST) tests/browser $(ARGS) :: \
		$(BIN)/python scripts/coverage_of_pure.py --ignore=tests/cli --ignore=tests/browser $(ARGS)
else
	$(BIN)/python scripts/side_by_side.py $(PYTEST) --shard=2/4 $(ARGS) :: $(PYTEST) --shard=3/4 $(ARGS) :: \
		$(PYTEST) --shard=4/4 $(ARGS) :: $(PYTEST) --shard=1/4 $(ARGS)
endif

# Long fuzzing runs, wide tables and simulated months: run those of the areas that you have changed.
test-long: install
	$(PYTEST) --tier=long $(ARGS)

# A slice of the long tier, of the real CLIs too: first what the last commits have touched, then another order for each
# commit. No test starts after LIMIT seconds.
LIMIT ?= 480
SLICE ?= $(shell git rev-parse --short=8 HEAD 2>/dev/null || echo 0)
test-slice: install $(CLIS_INSTALLED)
	JUPYTER_CABINET_TEST_CLIS=$(CURDIR)/$(CLIS) $(BIN)/python -m pytest --tier=long --slice=$(SLICE) --limit=$(LIMIT) $(ARGS)

# Runs in containers, through podman's API. Without podman and runc they are skipped with the reason.
test-docker: install
	$(BIN)/python -m pytest --tier=all -rs tests/server/test_containers.py tests/unit/runners/test_docker_runner.py $(ARGS)

test-browser: install
	$(BIN)/python -m pytest tests/browser $(ARGS)

# The real agent CLIs against the suite's own model server, and a real JupyterHub. LONG=1: the wide
# tables too. LATEST=1: the newest published ones, and what changed.
PYTEST_CLIS := $(BIN)/python -m pytest --durations=10 tests/cli $(if $(LONG),--tier=all)
test-cli: install $(CLIS_INSTALLED) $(LARGE_INSTALLED)
ifdef LATEST
	$(BIN)/python scripts/latest_clis.py --pinned $(CLIS) --into $(CLIS)-latest $(AGENT_CLIS)
else
	JUPYTER_CABINET_TEST_CLIS=$(CURDIR)/$(CLIS) $(BIN)/python scripts/side_by_side.py \
		$(PYTEST_CLIS) --shard=2/2 $(ARGS) :: $(PYTEST_CLIS) --shard=1/2 $(ARGS)
endif

$(CLIS_INSTALLED): Makefile
	mkdir -p $(CLIS)
	npm install --silent --no-audit --no-fund --prefix $(CLIS) $(AGENT_CLIS) $(HUB_PROXY)
	touch $@

$(CLIS)-large/.installed: Makefile
	mkdir -p $(CLIS)-large
	npm install --silent --no-audit --no-fund --prefix $(CLIS)-large $(ACP_ADAPTERS)
	touch $@

benchmark: install
	$(BIN)/python -m benchmarks

# What is generated from the code: the API description, its types, and tables in the docs.
# It builds nothing that is installed already: the frontend can only be built once its types fit the server's.
generate: $(STAMPS)/python labextension/node_modules/.installed $(if $(wildcard $(STAMPS)/linked),,install)
	$(BIN)/python -m jupyter_cabinet.web.openapi
	cd labextension && npm run --silent generate
	$(BIN)/python scripts/python_reference.py
	$(BIN)/python scripts/runtime_tables.py

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	cd labextension && npm run --silent lint

wheel: install
	$(BIN)/python -m build --outdir dist

clean:
	rm -rf $(VENV) .run dist labextension/node_modules labextension/lib jupyter_cabinet/labextension
