# The commands of this repository. `make help` lists them.
SHELL := /bin/bash
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
.PHONY: python help setup sdk demo test lint check gen bench soak suricata

help: ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

node_modules/.palisade-installed: package.json package-lock.json
	@echo "setup: installing the locked packages with npm ci (about half a minute)"
	@npm ci --no-progress
	@touch $@

setup: node_modules/.palisade-installed suricata python ## packages, the pinned Node, Suricata, the Python environment; afterwards nothing asks the network
	@echo "setup: done"

suricata:
	@tools/install-suricata.sh || echo "setup: going on without Suricata; sensors cannot run until it is there"

python: node_modules/.palisade-installed
	@node tools/setup-python.ts

sdk: node_modules/.palisade-installed ## pack the SDKs and install them into build/sdk as a user would
	@node tools/build-sdk.ts

demo: setup sdk ## the whole product on examples/shop, from a program to a threat log
	@node tools/demo.ts

test: setup sdk ## lint, types and all tests
	@tools/run-tests.sh

lint: node_modules/.palisade-installed ## format and lint
	@npm run -s lint

check: node_modules/.palisade-installed ## types
	@npm run -s check

gen: node_modules/.palisade-installed ## regenerate everything below src/gen, the schemas and the SDKs
	@npm run -s gen

bench: setup ## figures, side by side with the reference programs where they are present
	@node bench/run.ts

soak: setup sdk ## the long forms of the tests
	@PALISADE_SOAK=1 tools/run-tests.sh
