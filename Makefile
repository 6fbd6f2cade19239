# make demo    set everything up and train the digit classifier on torch.device("ort")
# make test    set everything up and run every test
# make setup   what both share: system tools, .venv, the compiled package in it
# make bench   the measurements, each beside its peer       make docs   pages that are generated from a live run
# make lint    formatters, linters and types                make clean  forget what was built (keeps .venv)
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= $(firstword $(shell command -v python3.11 python3))
VENV := .venv
BIN := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
# The tools must not find another Python's packages, nor a device preset by somebody's shell.
unexport PYTHONPATH PYTHONHOME DLPORT_FALLBACK DLPORT_ORT_LIBRARY DLPORT_DRIVER_PATH

SOURCES := CMakeLists.txt pyproject.toml $(shell find cmake include src python examples tests/cpp tests/c tests/fuzz tests/providers -type f -not -name '*.pyc' 2>/dev/null)

.PHONY: help setup demo test test-cpp test-asan test-tsan test-python test-ops test-ort-versions bench docs lint format clean

help:
	@sed -n '1,5s/^# //p' Makefile

setup: build/.installed

build/.system: scripts/system.sh
	@mkdir -p build
	bash scripts/system.sh $(PYTHON)
	@touch $@

$(VENV)/.requirements: requirements.txt build/.system
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --progress-bar on -r requirements.txt
	@touch $@

build/.installed: $(VENV)/.requirements $(SOURCES)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-build-isolation --no-deps --force-reinstall \
	  --config-settings cmake.define.DLPORT_TESTS=ON --config-settings cmake.define.DLPORT_TORCH=ON .
	@touch $@

demo: setup
	$(BIN)/dlport demo

test: test-cpp test-python test-asan

test-cpp: setup
	ctest --test-dir build/release --output-on-failure

# The C++ tests once more, with the address and undefined-behaviour sanitizers watching.
test-asan test-tsan: test-%: $(VENV)/.requirements
	cmake --preset $* > build/$*.log || { cat build/$*.log; exit 1; }
	cmake --build --preset $*
	ctest --preset $*

test-python: setup
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-ops: setup
	$(BIN)/python -m pytest -m slow tests/python/torch

test-ort-versions: setup
	$(BIN)/python scripts/test_ort_versions.py

bench: setup
	cmake --preset bench > build/bench.log || { cat build/bench.log; exit 1; }
	cmake --build --preset bench
	$(BIN)/python bench/run.py

docs: setup
	$(BIN)/python docs/generate.py

lint: $(VENV)/.requirements
	ruff check .
	ruff format --check .
	mypy
	clang-format-19 --dry-run --Werror $(shell git ls-files '*.hpp' '*.cpp' '*.h' '*.c')

format: $(VENV)/.requirements
	ruff check --fix --quiet . || true
	ruff format --quiet .
	clang-format-19 -i $(shell git ls-files '*.hpp' '*.cpp' '*.h' '*.c')

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
