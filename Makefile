# `make` alone lists what there is. Nothing here needs a terminal, and `make -C` works from anywhere.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
SHELL := /bin/sh

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
UV := $(BIN)/uv
PYTEST := $(BIN)/python -m pytest
# Half of what tests do is wait for a process, a server or a disk: two of them for every core.
JOBS ?= $(shell expr 2 '*' "$$(getconf _NPROCESSORS_ONLN)")
# What CI draws by chance it draws alike each time, so that a change is judged and not the day; `make fuzz` draws anew.
SEED ?= 1

# A question is anybody's text. `value` keeps its dollars, the environment keeps its quotes.
override Q := $(value Q)
override DATA := $(value DATA)
export Q DATA QUESTIONS

# A caller's own environment must not leak into ours. Where Python may not keep what it has compiled, every process of
# a run compiles everything anew, which takes longer than most of what the tests do.
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME CONDA_PREFIX PYTHONDONTWRITEBYTECODE

.PHONY: help
help: ## show this list
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile

## Every day

.PHONY: setup
setup: $(READY) ## create .venv with everything, exactly as locked

$(READY): requirements/bootstrap.txt requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo 'quorate needs Python 3.11 or newer: make setup PYTHON=/path/to/python3.11' >&2; exit 1; }
	@echo 'installing into $(VENV), one to two minutes' >&2
	@$(BIN)/python -c '' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV) \
		|| { echo 'cannot create $(VENV); on Debian and Ubuntu install python3-venv' >&2; exit 1; }
	@test -x $(UV) || $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.txt
	@$(UV) pip sync --quiet --python $(BIN)/python --require-hashes requirements/dev.txt
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@

.PHONY: ask
ask: setup ## install quorate and ask a question, answered by the small built-in model: make ask Q="Should we …?"
	@test -n "$$Q" || { echo 'say what to ask: make ask Q="Should we delete the staging database?"' >&2; exit 2; }
	@panel=embedded; $(BIN)/quorate doctor embedded:smollm2 >$(VENV)/.doctor \
		|| { panel=demo; cat $(VENV)/.doctor >&2; echo 'so the scripted panel speaks instead' >&2; }; \
		$(BIN)/quorate ask --panel "$$panel" -- "$$Q"

.PHONY: page
page: setup ## open the page in your browser: ask there, and watch them argue
	@$(BIN)/quorate serve --open

.PHONY: pages-model
pages-model: setup ## serve the model that the documentation uses, at 127.0.0.1:9000, to type what its pages show
	@$(BIN)/python -m tests.docs.models

.PHONY: check
check: format-check lint types imports docs-check test promises browser ## everything CI runs, and nothing CI does not

.PHONY: test
test: setup ## the quick tests, four to five minutes on two cores
	$(PYTEST) -n $(JOBS) --dist loadfile -m 'not promise and not long and not browser' --randomly-seed=$(SEED) --hypothesis-profile=everyday

.PHONY: promises
promises: setup ## the promises at their everyday size, under ten minutes
	$(PYTEST) -n $(JOBS) --dist loadfile -m 'promise and not long and not browser' --randomly-seed=$(SEED)

.PHONY: browser
browser: setup ## the page in Chromium, the promises about it among them
	$(PYTEST) -n $(JOBS) --dist loadfile -m 'browser and not long' --randomly-seed=$(SEED)

.PHONY: format
format: setup ## format the code and mend what ruff can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: docs
docs: setup ## write the reference pages again
	$(BIN)/python -m tools.reference

## Parts of check

.PHONY: format-check
format-check: setup ## is everything formatted?
	$(BIN)/ruff format --check .

.PHONY: lint
lint: setup ## ruff, all rules
	$(BIN)/ruff check .

.PHONY: types
types: setup ## mypy strict everywhere, basedpyright strict where it matters most
	$(BIN)/mypy
	$(BIN)/basedpyright --warnings

.PHONY: imports
imports: setup ## do imports go down only?
	$(BIN)/lint-imports --no-cache

.PHONY: docs-check
docs-check: setup ## are the reference pages up to date?
	$(BIN)/python -m tools.reference --check

## Now and then

.PHONY: kill
kill: setup ## the long kill test: ten thousand points
	$(PYTEST) -m long -k kill

.PHONY: fuzz
fuzz: setup ## all tests with numbers drawn anew, ten times as many; a failure prints the seed that repeats it
	$(PYTEST) -n $(JOBS) --dist loadfile -m 'not long' --hypothesis-profile=thorough

.PHONY: long
long: setup ## every promise at its long size
	$(PYTEST) -n $(JOBS) --dist loadfile -m long

.PHONY: clients
clients: setup ## try the real Claude Code, Codex, Gemini CLI, Qwen Code and OpenCode, our wheel and an MCP client; needs npm and the registries
	@$(BIN)/python -m tests.clients

.PHONY: golden
golden: setup ## write tests/golden again, after the record format or the rules have changed
	$(BIN)/python -m tests.written

.PHONY: promises-table
promises-table: setup ## write the tables of promises from the figures of their last runs
	$(BIN)/python -m tools.promises

.PHONY: bench
bench: setup ## measure speed beside a bare loop, five minutes; prints a table and writes it as JSON
	$(BIN)/python -m benchmarks

.PHONY: bench-peers
bench-peers: setup ## measure other libraries beside quorate, each in an environment of its own
	$(BIN)/python -m benchmarks.peers

.PHONY: bench-guard
bench-guard: setup ## measure the guard on labelled texts: make bench-guard DATA=texts.jsonl.gz
	@test -n "$$DATA" || { echo 'name the texts: make bench-guard DATA=texts.jsonl.gz' >&2; exit 2; }
	@$(BIN)/python -m benchmarks.guard --data "$$DATA"

.PHONY: bench-gate
bench-gate: setup ## measure gates: panels and rules, the list, how long a call waits: make bench-gate DATA=folder
	@test -n "$$DATA" || { echo 'name the folder of labelled commands: make bench-gate DATA=folder' >&2; exit 2; }
	@$(BIN)/python -m benchmarks.gate --data "$$DATA"

.PHONY: bench-grouping
bench-grouping: setup ## measure the grouping of options, on labelled pairs too: make bench-grouping DATA=folder
	@$(BIN)/python -m benchmarks.grouping $${DATA:+--data "$$DATA"}

.PHONY: bench-reading
bench-reading: setup ## measure the reading of recorded replies: make bench-reading DATA=folder
	@test -n "$$DATA" || { echo 'name the replies: make bench-reading DATA=folder' >&2; exit 2; }
	@$(BIN)/python -m benchmarks.reading --data "$$DATA"

.PHONY: bench-quality
bench-quality: setup ## measure how right verdicts are on recorded votes: make bench-quality DATA=folder
	@test -n "$$DATA" || { echo 'name the folder of votes: make bench-quality DATA=folder' >&2; exit 2; }
	@$(BIN)/python -m benchmarks.quality --data "$$DATA"

.PHONY: bench-batch
bench-batch: setup ## measure a batch that is killed ten times, an hour: make bench-batch QUESTIONS=100000
	@$(BIN)/python -m benchmarks.batch --questions $${QUESTIONS:-100000}

.PHONY: bench-stop
bench-stop: setup ## measure what stopping a settled count saves on recorded votes: make bench-stop DATA=folder
	@test -n "$$DATA" || { echo 'name the folder of votes: make bench-stop DATA=folder' >&2; exit 2; }
	@$(BIN)/python -m benchmarks.early_stop --data "$$DATA"

.PHONY: prove
prove: setup ## prove every rulebook that ships, a few minutes, and write docs/reference/proofs.md
	$(BIN)/python -m tools.proofs

.PHONY: pictures
pictures: setup ## make the documentation's pictures of the page again, in Chromium
	@$(BIN)/python -m tests.browser.pictures

.PHONY: mutants
mutants: setup ## change the rules in small ways, one by one, and list what no test notices: make mutants ONLY=rules SAMPLE=300 SECONDS=600
	@$(BIN)/python -m tools.mutants $(if $(ONLY),--only '$(ONLY)') $(if $(SAMPLE),--sample $(SAMPLE)) \
		$(if $(SEED),--seed $(SEED)) $(if $(SECONDS),--seconds $(SECONDS)); code=$$?; $(BIN)/python -m tools.mutants.page; exit $$code

.PHONY: bench-evidence
bench-evidence: setup ## measure reading and searching twenty thousand documents
	@$(BIN)/python -m benchmarks.evidence

.PHONY: bench-ledger
bench-ledger: setup ## measure the ledger in a file and in PostgreSQL, in one run
	@$(BIN)/python -m benchmarks.ledgers

.PHONY: bench-workers
bench-workers: setup ## measure ten thousand deliberations through workers: make bench-workers N=10000
	@$(BIN)/python -m benchmarks.workers --deliberations $(or $(N),10000)

.PHONY: bench-page
bench-page: setup ## measure the page, and a thousand who watch one deliberation
	@$(BIN)/python -m benchmarks.viewers

COMPILE = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade)

# What the image has besides the base.
IMAGE = $(foreach extra,web mcp cluster prices telemetry documents,--extra $(extra))

.PHONY: lock
lock: ## write the locks again after pyproject.toml changed; with UPGRADE=1 take newer versions
	@test -x $(UV) || { $(PYTHON) -m venv $(VENV) && $(BIN)/python -m pip install --quiet -r requirements/bootstrap.txt; }
	$(COMPILE) pyproject.toml --all-extras --group dev -o requirements/dev.txt
	$(COMPILE) pyproject.toml -c requirements/dev.txt -o requirements/base.txt
	$(COMPILE) pyproject.toml --extra prices -c requirements/dev.txt -o requirements/action.txt
	$(COMPILE) pyproject.toml $(IMAGE) -c requirements/dev.txt -o requirements/image.txt
	echo 'hatchling>=1.27' | $(COMPILE) - -c requirements/dev.txt -o requirements/build.txt
	$(COMPILE) --group fuzz -c requirements/dev.txt -o requirements/fuzz.txt
	$(COMPILE) --group mutants -c requirements/dev.txt -o requirements/mutants.txt
	$(COMPILE) --group bootstrap -c requirements/dev.txt -o requirements/bootstrap.txt

.PHONY: build
build: setup ## build the sdist, and the wheel from it, into dist/
	$(BIN)/python -m build --no-isolation

.PHONY: clean
clean: ## remove what was built, .venv too
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache uv.lock
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
