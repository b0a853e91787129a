# Two commands to know: `make demo` and `make test`. Each makes .venv by itself from a bare Python 3.11+.

PYTHON ?= python3
BIN := .venv/bin
# One more than cores: where two need the same kernel, one compiles it and the other waits.
WORKERS := $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
export PIP_CONSTRAINT := constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Modules are compiled once, not by each of the hundred processes that tests start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check static tests test-train bench clean

demo: .venv/.run
	$(BIN)/uno-pomdp demo

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
	$(BIN)/pip install --quiet --editable '.[dev,bench,train]'
	@touch $@ .venv/.run .venv/.dev .venv/.train

.venv/.train: .venv/.dev pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --editable '.[dev,train]'
	@touch $@
