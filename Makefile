# Tailrace: `make demo` for a first result, `make help` for the rest.
# Needs cargo, python3 >= 3.11 and make; everything else goes into .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DEPS   := $(VENV)/.dependencies
NATIVE := $(VENV)/.extension
# One interpreter for cargo and maturin alike: the binding's build depends on which it finds.
export PYO3_PYTHON := $(abspath $(BIN)/python)
RUST   := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help demo test test-rust test-python lint lint-rustfmt lint-clippy lint-ruff lint-mypy format bench validate docs docs-cost build lock clean
.DELETE_ON_ERROR:

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## compare six queue disciplines: a table and figures in results/demo
	@$(BIN)/tailrace compare papers/kochher/kochher.toml -o results/demo

test: test-rust test-python ## every test

test-rust: $(DEPS)
	cargo test --workspace --no-fail-fast

test-python: build
	$(BIN)/python -m pytest

lint: lint-rustfmt lint-clippy lint-ruff lint-mypy ## rustfmt, clippy, ruff and mypy

# Not `cargo fmt`: it skips modules that a macro declares.
lint-rustfmt:
	git ls-files -z '*.rs' | xargs -0 rustfmt --edition 2024 --check

lint-clippy: $(DEPS)
	cargo clippy --workspace --all-targets -- -D warnings

lint-ruff: $(DEPS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

lint-mypy: build
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest tailrace._native

format: $(DEPS) ## write all code in the one format
	git ls-files -z '*.rs' | xargs -0 rustfmt --edition 2024
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: ## the benchmarks of benches/
	$(PYTHON) benches/run.py

docs: build ## docs/queues: pages, figures and the zoo's table, from the code and from runs
	PYTHONPATH=tools $(BIN)/python -m queue_docs

docs-cost: build ## docs/queues/cost.md: times and instructions of every discipline (needs valgrind)
	PYTHONPATH=tools $(BIN)/python -m queue_docs cost

validate: build ## hold Tailrace against ns-2 and a Linux kernel, where these are there (docs/validation.md)
	$(BIN)/python -m validation -o results/validation/table.md

build: $(NATIVE) ## the virtual environment and the release extension

# The interpreter is checked first: an old one fails later with messages that do not name the cause.
$(DEPS): requirements.lock
	@command -v cargo >/dev/null || { echo 'cargo is missing: install a Rust toolchain (rustup.rs), then run make again' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Python 3.11 or newer is needed; name it with: make PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo 'python3 -m venv failed; on Debian and Ubuntu: apt install python3-venv' >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@touch $@

$(NATIVE): $(DEPS) $(RUST)
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --release
	@touch $@

lock: ## renew requirements.lock from what .venv holds
	{ sed -n 1p requirements.lock; $(BIN)/python -m pip freeze --exclude tailrace; } > requirements.lock.new
	mv requirements.lock.new requirements.lock

clean: ## remove what was built; keep results/
	cargo clean
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
	find python tests -name __pycache__ -prune -exec rm -rf {} +
	rm -f python/tailrace/_native*.so
