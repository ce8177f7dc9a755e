# Tailrace: `make demo` for a first result, `make help` for the rest.
# Needs cargo, python3 >= 3.11 and make; everything else goes into .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# What a run takes, and what the tests take beside it.
RUN    := $(VENV)/.run
DEPS   := $(VENV)/.dependencies
# Programs that only some targets need, apart from what Tailrace is built and tested with.
TOOLS  := .tools
# What the site alone needs; it reads the package that .venv has.
SPHINX := $(TOOLS)/site
# Programs that read results, for `make test-readers`.
READERS := $(TOOLS)/readers
# PROFILE=quick builds without the link of a release, PROFILE=dev with the code that `cargo test` builds: the same results, in runs that
# take longer (docs/explanation/performance.md).
PROFILE ?= release
# `make build PGO=1` compiles twice, the second time by what runs spend their time on (tools/pgo.sh): a tenth faster, the same results.
NATIVE := $(VENV)/.extension-$(PROFILE)$(if $(PGO),-pgo)
RUNS   := target/pgo/release.profdata
# The processes of `make test-python`.
JOBS   ?= 2
# Type stubs of the classes that tailrace.build makes from the schema, for type checkers and editors.
STUBS  := python/tailrace/build/types.pyi
# Kernels as hosts run on Linux alone; this program starts them.
AGENT  := $(if $(filter Linux,$(shell uname -s)),python/tailrace/kernels/tailrace-agent)
# One interpreter for cargo and maturin alike: the binding's build depends on which it finds.
export PYO3_PYTHON := $(abspath $(BIN)/python)
RUST   := $(shell find crates -name tests -prune -o \( -name '*.rs' -o -name Cargo.toml \) ! -name tests.rs -print) \
          $(wildcard scenarios/*.toml papers/*/*.toml papers/*/*.trace) Cargo.toml Cargo.lock pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help extension nightly fingerprints notes release release-files docs-check demo test test-rust check explore test-python reproduce test-wasm test-report playground test-playground test-wheel test-readers wheels lint lint-rustfmt lint-clippy lint-ruff lint-mypy format bench instructions chaos fuzz validate docs docs-cost build lock audit clean editor site site-links
.DELETE_ON_ERROR:
.SUFFIXES:

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## compare six queue disciplines: a table and figures in results/demo
	@$(MAKE) --no-print-directory extension OR=demo
	@$(BIN)/tailrace compare papers/kochher/kochher.toml -o results/demo
	@[ ! -e $(VENV)/.extension-demo ] || echo 'This extension is the one that is built soonest: without kernels and QUIC, not for speed.' \
	  'make build builds the release, whose runs are faster.'

test: test-rust test-python ## every test

nightly: ## what a release takes beside .ci/run: release extension, all kernels, whole papers, new random cases
	.ci/nightly

# The properties' cases are the same each time, so a failure is the change's; `make explore` draws new ones.
test-rust: $(DEPS)
	PROPTEST_RNG_SEED=1 cargo test --locked --workspace --no-fail-fast

# What a change in one crate needs first; the crates that depend on it are tested by `make test`.
check: ## the tests of one crate, in half a minute after a change: make check CRATE=qdisc TEST=codel
	@test -n '$(CRATE)' || { echo 'make check takes a crate: make check CRATE=qdisc' >&2; exit 2; }
	PROPTEST_RNG_SEED=1 cargo test --locked -p tailrace-$(CRATE:tailrace-%=%) $(TEST)

explore: $(DEPS) ## the property tests on cases that nobody has tried before
	cargo test --locked --workspace --no-fail-fast

# Tests of one file, and those with kernels, stay in one process.
test-python: extension ## the tests in Python; JOBS=8: so many at once
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

reproduce: $(if $(QUICK),extension,build) ## the five papers of papers/ again, each claim judged, in results/papers; QUICK=1: in two minutes
	$(BIN)/tailrace reproduce $(if $(QUICK),--quick)

test-wasm: $(RUN) ## the simulator as WebAssembly gives the gallery's fingerprints (needs node)
	tests/wasm/run.sh

test-report: extension ## reports in a headless browser (needs chromium and node)
	tests/report/run.sh

playground: build ## the simulator in a page, with all that it takes: static files in build/playground (needs node and npm)
	web/build.sh build/playground

test-playground: extension ## the playground in a headless browser (needs chromium, node and npm)
	tests/playground/run.sh

lint: lint-rustfmt lint-clippy lint-ruff lint-mypy ## rustfmt, clippy, ruff and mypy

# Not `cargo fmt`: it skips modules that a macro declares.
lint-rustfmt:
	git ls-files -z '*.rs' | xargs -0 rustfmt --edition 2024 --check

lint-clippy: $(DEPS)
	cargo clippy --locked --workspace --all-targets -- -D warnings

lint-ruff: $(DEPS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

lint-mypy: extension
	$(STUBS_OF)
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest tailrace._native

format: $(DEPS) ## write all code in the one format
	git ls-files -z '*.rs' | xargs -0 rustfmt --edition 2024
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Random valid scenarios until the time is up: SECONDS, SEED (the first), JOBS; or one of them again: REPLAY=FILE.
chaos: ## random scenarios of every kind, for as long as wanted: make chaos SECONDS=3600 SEED=1
	CHAOS_SECONDS=$(SECONDS) CHAOS_SEED=$(SEED) CHAOS_JOBS=$(JOBS) CHAOS_REPLAY=$(REPLAY) \
	  cargo test --locked --profile chaos -p tailrace-sim --test chaos -- --ignored --nocapture for_hours

fuzz: ## every fuzz target for a minute each, or: make fuzz SECONDS=600 TARGETS='tc wire'
	fuzz/run.sh $(or $(SECONDS),60) $(TARGETS)

bench: ## the benchmarks of benches/; PEERS=1: beside ns-2 and ns-3 as well where they are there; HTSIM=FOLDER: beside htsim
	@mkdir -p results
	$(PYTHON) benches/run.py --json results/bench.json
	$(if $(PEERS)$(HTSIM),$(PYTHON) benches/peers/compare.py --tailrace target/release/tailrace-bench --json results/bench-peers.json \
		$(if $(HTSIM),--htsim $(HTSIM)) $(if $(PEERS),,--peer htsim))

# Callgrind counts the same on every machine: a change that makes a packet dearer is seen when it is made.
instructions: ## instructions a packet-hop of ten cases, held within 2 % of benches/instructions.json; BLESS=1 writes that anew
	$(PYTHON) benches/instructions.py $(if $(BLESS),--bless)

docs: build $(DEPS) ## docs/queues, docs/reference, docs/reference/applications.md: pages, figures, tables, from the code and from runs
	PYTHONPATH=tools $(BIN)/python -m queue_docs

# Warnings are errors, links that lead nowhere too; nothing is asked of another host.
site: extension $(SPHINX)/.installed ## the documentation as a site in build/site, with build/playground if it is there; every link checked
	rm -rf build/site build/site-pages build/site-doctrees
	PYTHONPATH=tools $(BIN)/python -m site_docs stage build/site-pages
	PYTHONPATH=$(SPHINX) $(BIN)/python -m sphinx -n -W --keep-going -q -b html -d build/site-doctrees build/site-pages build/site
	$(if $(wildcard build/playground/index.html),cp -R build/playground build/site/playground)
	PYTHONPATH=tools $(BIN)/python -m site_docs check build/site
	@echo 'the site is build/site/index.html'

site-links: ## whether links of the site to other hosts answer (needs the network, and make site before)
	PYTHONPATH=tools $(BIN)/python -m site_docs external build/site

docs-check: extension ## whether the generated pages are what the code says, as a release needs it; `make docs` writes them
	$(BIN)/python -m pytest -m generated tests/python/test_gallery.py tests/python/test_site.py

docs-cost: build $(DEPS) ## docs/queues/cost.md: times and instructions of every discipline (needs valgrind)
	PYTHONPATH=tools $(BIN)/python -m queue_docs cost

validate: build $(DEPS) ## hold Tailrace against ns-2 and a Linux kernel, where these are there (docs/explanation/validation.md)
	$(BIN)/python -m validation -o results/validation/table.md

editor: build ## the schema where .taplo.toml has editors look for it (docs/howto/typing.md)
	mkdir -p build
	$(BIN)/tailrace schema > build/tailrace.schema.json

build: $(NATIVE) $(STUBS) ## the virtual environment and the release extension

# Tests, pages and the demo take the extension that is there, if it is that of today's code; if not, the one that is built soonest.
INSTALLED = $(wildcard $(VENV)/.extension-*)
OR        := dev
extension: $(if $(filter demo,$(OR)),,$(DEPS))
	@$(if $(findstring $(origin PROFILE),file),for there in $(if $(filter demo,$(OR)),$(INSTALLED),$(filter-out %-demo,$(INSTALLED))); do \
	  $(MAKE) -q $$there >/dev/null 2>&1 && exit; done; \
	  $(MAKE) --no-print-directory $(VENV)/.extension-$(OR),$(MAKE) --no-print-directory $(NATIVE))

# The interpreter is checked first: an old one fails later with messages that do not name the cause. Modules are compiled where they
# are used.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes
$(RUN): requirements-run.lock
	@command -v cargo >/dev/null || { echo 'cargo is missing: install a Rust toolchain (rustup.rs), then run make again' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Python 3.11 or newer is needed; name it with: make PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo 'python3 -m venv failed; on Debian and Ubuntu: apt install python3-venv' >&2; exit 1; }
	$(PIP) -r $<
	@touch $@

$(DEPS): requirements.lock | $(RUN)
	$(PIP) -r $<
	@touch $@

# Cargo calls the folder of the profile `dev` otherwise.
BUILT   = target/$(if $(filter dev,$(1)),debug,$(1))
DEVELOP = VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --locked --profile

define AGENT_OF
$(if $(AGENT),cargo rustc --locked --profile $* -p tailrace-agent --bin tailrace-agent -- -C strip=symbols
cp $(call BUILT,$*)/tailrace-agent $(AGENT).new && mv $(AGENT).new $(AGENT))
endef

STUBS_OF = $(BIN)/python -m tailrace.build._stubs
$(STUBS): $(NATIVE) $(wildcard python/tailrace/build/*.py)
	$(STUBS_OF)

# Without kernels and the program that starts them.
$(VENV)/.extension-demo: $(RUN) $(RUST)
	$(DEVELOP) dev --no-default-features
	@rm -f $(VENV)/.extension-* && touch $@

$(VENV)/.extension-%: $(RUN) $(RUST)
	$(AGENT_OF)
	$(DEVELOP) $*
	$(STUBS_OF)
	@rm -f $(VENV)/.extension-* && touch $@

$(VENV)/.extension-%-pgo: $(RUN) $(RUST)
	$(AGENT_OF)
	PYTHON=$(BIN)/python tools/pgo.sh $(RUNS)
	RUSTFLAGS=-Cprofile-use=$(abspath $(RUNS)) $(DEVELOP) $* --target $$(rustc -vV | sed -n 's/^host: //p')
	@rm -f $(VENV)/.extension-* && touch $@

wheels: $(STUBS) ## wheels for any Linux since 2014 in dist/, with PGO=1 a tenth faster, and with MUSL=1 for those with musl (zig comes from the registry of Python packages)
	$(if $(PGO),PYTHON=$(BIN)/python tools/pgo.sh $(RUNS))
	PYTHON=$(PYTHON) TOOLS=$(TOOLS) $(if $(PGO),RUSTFLAGS=-Cprofile-use=$(abspath $(RUNS))) tools/wheels.sh
	$(if $(MUSL),PYTHON=$(PYTHON) TOOLS=$(TOOLS) tools/wheels.sh musl)

# Programs that read what Tailrace writes: flent, pandas, Jupyter's kernel. Tests that want them skip elsewhere.
test-readers: extension $(READERS)/.installed ## exports, frames and notebooks as flent, pandas and Jupyter read them
	PYTHONPATH=$(READERS) PATH=$(abspath $(READERS))/bin:$$PATH $(BIN)/python -m pytest -W default -k 'flent or pandas or kernel_of_jupyter' \
	  tests/python/test_export_results.py tests/python/test_pandas.py tests/python/test_notebooks.py

test-wheel: extension ## a wheel in an empty environment, without Rust and far from this folder
	PYTHON=$(PYTHON) TOOLS=$(TOOLS) tools/try_wheel.sh

$(SPHINX)/.installed: docs/requirements.lock | $(DEPS)
	rm -rf $(SPHINX)
	$(PIP) --no-deps --target $(SPHINX) -r docs/requirements.lock
	@touch $@

$(READERS)/.installed: tools/readers.lock | $(DEPS)
	rm -rf $(READERS)
	$(PIP) --no-deps --target $(READERS) -r tools/readers.lock
	@touch $@

# Versions stay as they are unless pyproject.toml asks for others, or: make lock UPGRADE=--upgrade
lock: ## renew requirements.lock, its part that runs take, and docs/requirements.lock of the site, with the hashes of all files
	$(PYTHON) -m venv $(TOOLS)/lock
	$(TOOLS)/lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	printf 'maturin>=1.9.4,<2\nziglang\ncargo-zigbuild\n' | $(TOOLS)/lock/bin/uv pip compile - --universal --python-version 3.11 \
	  --generate-hashes --no-annotate --custom-compile-command 'make lock' --quiet --output-file tools/wheels.lock $(UPGRADE)
	printf 'towncrier\n' | $(TOOLS)/lock/bin/uv pip compile - --universal --python-version 3.11 \
	  --generate-hashes --no-annotate --custom-compile-command 'make lock' --quiet --output-file tools/release.lock $(UPGRADE)
	$(TOOLS)/lock/bin/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
	  --no-annotate --custom-compile-command 'make lock' --quiet --output-file requirements.lock $(UPGRADE)
	printf 'maturin>=1.9.4,<2\n' | $(TOOLS)/lock/bin/uv pip compile pyproject.toml - --constraint requirements.lock --universal \
	  --python-version 3.11 --generate-hashes --no-annotate --custom-compile-command 'make lock' --quiet --output-file requirements-run.lock
	printf 'flent\nipykernel\nnbclient\npandas\npyarrow\n' | $(TOOLS)/lock/bin/uv pip compile - --constraint requirements.lock --universal \
	  --python-version 3.11 --generate-hashes --no-annotate --custom-compile-command 'make lock' --quiet --output-file tools/readers.lock $(UPGRADE)
	$(TOOLS)/lock/bin/uv pip compile docs/requirements.in --universal --python-version 3.11 --generate-hashes \
	  --no-annotate --custom-compile-command 'make lock' --quiet --output-file docs/requirements.lock $(UPGRADE)

audit: ## licences, sources and known vulnerabilities of all that is depended on (cargo-deny, pip-audit)
	@PYTHON=$(PYTHON) TOOLS=$(TOOLS) tools/audit.sh

fingerprints: ## fingerprints of the gallery, papers and benches in results/fingerprints.txt: equal before and after a change that changes no result
	@mkdir -p results
	cargo build --quiet --locked --profile quick -p tailrace-bench
	target/quick/tailrace-bench fingerprints --until 30 scenarios/*.toml $$(ls papers/*/*.toml | grep -v claims) benches/cases/*.toml > results/fingerprints.txt
	@echo 'results/fingerprints.txt'

notes: $(TOOLS)/release/.installed ## what the next version brings, from changes/
	@$(TOOLS)/release/bin/towncrier build --draft --version next 2>/dev/null

# Nothing is committed, tagged or published: whoever releases reads what was made first.
release: $(TOOLS)/release/.installed ## make release VERSION=0.3.0: sets the version, writes the changelog from changes/, and makes dist/: wheels, source, site, checksums, fingerprints
	@test -n '$(VERSION)' || { echo 'which version? make release VERSION=0.3.0' >&2; exit 2; }
	@test -z "$$(git status --porcelain)" || { echo 'commit or stash what has changed first' >&2; exit 2; }
	PYTHONPATH=tools $(PYTHON) -m release version $(VERSION)
	cargo update --quiet --workspace
	cargo update --quiet --workspace --manifest-path fuzz/Cargo.toml
	grep -q '^## $(VERSION) ' CHANGELOG.md || $(TOOLS)/release/bin/towncrier build --yes --version $(VERSION)
	PYTHONPATH=tools $(PYTHON) -m release check
	$(MAKE) docs
	$(MAKE) docs-check site wheels MUSL=1
	$(MAKE) release-files
	@echo 'dist/ is ready. Read git diff, then: git commit -a -m "release: $(VERSION)"; git tag v$(VERSION); git push --tags'

release-files: $(DEPS) ## the source, the site, fingerprints and checksums of a release, in dist/
	@mkdir -p dist
	$(BIN)/maturin sdist --out dist
	$(MAKE) fingerprints && cp results/fingerprints.txt dist/
	$(if $(wildcard build/site/index.html),tar -C build -czf dist/site.tar.gz site)
	cd dist && rm -f SHA256SUMS && sha256sum * > SHA256SUMS

$(TOOLS)/release/.installed: tools/release.lock
	$(PYTHON) -m venv $(TOOLS)/release
	$(TOOLS)/release/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tools/release.lock
	@touch $@

clean: ## remove what was built; keep results/
	cargo clean
	rm -rf $(VENV) $(TOOLS) build web/node_modules .pytest_cache .mypy_cache .ruff_cache
	find python tests -name __pycache__ -prune -exec rm -rf {} +
	rm -f python/tailrace/_native*.so python/tailrace/kernels/tailrace-agent python/tailrace/build/*.pyi
