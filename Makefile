# make demo    watch Trimtab at work           make test     everything that CI checks
# make check   the quick part of it            make nightly  property tests with 50,000 examples each
# make bench   what a request costs, beside LangChain        make format  let ruff fix what it can
# make train   the weights of the classifiers: of rules (training/extraction), of kinds (training/kinds)
# make coverage what of the sources the tests run
# make summary what the summary costs, and what it loses
# make recall  what a search costs in small and large stores (`trimtab eval recall` measures what it finds)
#
# Each does its own set-up, once. Needed beforehand: Python 3.11 or newer, and make.

PYTHON ?= python3
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
BENCH := build/bench-venv
TRAIN := build/train-venv
# PIP_BUILD_CONSTRAINT: what builds the package is pinned too (older pips ignore it)
PIP_ENV := PIP_BUILD_CONSTRAINT=constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
INSTALL := -m pip install --quiet -c constraints.txt
SOURCES := src tests benchmarks examples

.DEFAULT_GOAL := test
.PHONY: demo test check coverage nightly bench summary recall train format clean

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Trimtab needs Python 3.11 or newer; run for example: make PYTHON=python3.12 test")'
	@$(PYTHON) -c 'import ensurepip' || { echo "this Python has no ensurepip; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/base.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP_ENV) $(BIN)/python $(INSTALL) -e .
	@touch $@

$(VENV)/dev.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP_ENV) $(BIN)/python $(INSTALL) -e '.[dev]'
	@touch $@ $(VENV)/base.stamp

demo: $(VENV)/base.stamp
	@$(BIN)/trimtab demo

check: $(VENV)/dev.stamp
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest tests/core tests/wire tests/test_house.py tests/test_docs.py

test: $(VENV)/dev.stamp
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n $(WORKERS)

# the same tests but the properties, and what of the sources they run; the tracer doubles their time
coverage: $(VENV)/dev.stamp
	@$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(WORKERS) --ignore=tests/properties
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report --skip-covered

nightly: $(VENV)/dev.stamp
	HYPOTHESIS_PROFILE=nightly $(BIN)/pytest -n $(WORKERS) tests/properties

# apart from .venv: LangChain brings plug-ins that pytest would load
$(BENCH)/bench.stamp: pyproject.toml constraints.txt benchmarks/requirements.txt
	$(PYTHON) -m venv $(BENCH)
	$(PIP_ENV) $(BENCH)/bin/python $(INSTALL) -e . -r benchmarks/requirements.txt
	@touch $@

bench: $(BENCH)/bench.stamp
	$(BENCH)/bin/python -m benchmarks.request_cost

summary: $(VENV)/base.stamp
	@$(BIN)/python -m benchmarks.summary

recall: $(VENV)/dev.stamp
	@$(BIN)/python -m benchmarks.recall

# apart from .venv: the package itself needs none of this
$(TRAIN)/train.stamp: pyproject.toml constraints.txt training/extraction/requirements.txt
	$(PYTHON) -m venv $(TRAIN)
	$(PIP_ENV) $(TRAIN)/bin/python $(INSTALL) -e . -r training/extraction/requirements.txt
	@touch $@

train: $(TRAIN)/train.stamp
	$(TRAIN)/bin/python training/extraction/train.py
	$(TRAIN)/bin/python training/kinds/train.py

format: $(VENV)/dev.stamp
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

clean:
	rm -rf $(VENV) build .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
