# Two commands to know: `make demo` and `make test`. Each makes .venv by itself from a bare Python 3.11+.

PYTHON ?= python3
BIN := .venv/bin
# One more than cores: where two need the same kernel, one compiles it and the other waits.
WORKERS := $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
CHROMIUM ?= $(shell command -v chromium)
NODE := .venv/node
TYPESCRIPT := 7.0.2
export PIP_CONSTRAINT := constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Modules are compiled once, not by each of the hundred processes that tests start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo serve test check static tests test-train test-kits test-versions test-web types bench clean

demo: .venv/.run
	$(BIN)/uno-pomdp demo --force

serve: .venv/.web
	$(BIN)/uno-pomdp serve

test check: .venv/.dev
	@$(MAKE) --no-print-directory --jobs=2 static tests

static: .venv/.dev  # beside the tests: types take one core
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

tests: .venv/.dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

test-train: .venv/.train
	$(BIN)/python -m pytest tests/learning

test-kits: .venv/.kits
	UNO_POMDP_KITS=1 $(BIN)/python -m pytest tests/adapters

test-versions:  # in environments of its own, in a temporary folder
	nice $(PYTHON) tools/test_versions.py

test-web: .venv/.web-test types
	@CHROMIUM="$(CHROMIUM)"; test -n "$$CHROMIUM" -a -x "$$CHROMIUM" || \
	  { echo "the tests of the pages need a browser: install Debian's package chromium, or name one with CHROMIUM=PATH"; exit 2; }
	CHROMIUM="$(CHROMIUM)" $(BIN)/python -m pytest tests/web

types: .venv/.node  # of the pages' scripts, from their comments: the one place that needs Node
	$(NODE)/node_modules/.bin/tsc --project tools/tsconfig.json

bench: .venv/.bench
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

.venv/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "uno-pomdp needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv .venv

.venv/.run: .venv/pyvenv.cfg pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --editable .
	@touch $@

.venv/.dev: .venv/pyvenv.cfg pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@ .venv/.run

.venv/.bench: .venv/pyvenv.cfg pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --editable '.[dev,bench,train,gymnasium]'
	@touch $@ .venv/.run .venv/.dev .venv/.train

.venv/.train: .venv/.dev pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --editable '.[dev,train]'
	@touch $@

.venv/.web: .venv/pyvenv.cfg pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --editable '.[web]'
	@touch $@

.venv/.web-test: .venv/.dev pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --editable '.[dev,web,web-test]'
	@touch $@ .venv/.web

.venv/.node: .venv/pyvenv.cfg Makefile
	@command -v npm > /dev/null || { echo "the types of the pages' scripts are checked with Node: install Debian's package npm"; exit 2; }
	npm install --silent --no-save --no-package-lock --no-audit --no-fund --prefix $(NODE) typescript@$(TYPESCRIPT)
	@touch $@

.venv/.kits: .venv/.dev pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --editable '.[dev,gymnasium,onnx,openspiel,pettingzoo,sb3]' onnx rlcard
	@touch $@
