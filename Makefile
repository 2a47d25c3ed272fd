# The commands of this repository. `make help` lists them.
SHELL := /bin/bash
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
CONSOLE := packages/console/dist/index.html
.PHONY: console python help setup sdk demo test lint check gen bench peers soak suricata chromium

help: ## list the commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

node_modules/.palisade-installed: package.json package-lock.json
	@echo "setup: installing the locked packages with npm ci (about half a minute)"
	@npm ci --no-progress
	@touch $@

setup: node_modules/.palisade-installed suricata chromium python console ## install packages, Node, Suricata, Chromium, Python; later steps need no network
	@echo "setup: done"

suricata:
	@tools/install-suricata.sh || echo "setup: continuing without Suricata; sensors cannot run until it is installed"
	@tools/install-tcpdump.sh

chromium:
	@tools/install-chromium.sh

python: node_modules/.palisade-installed
	@node tools/setup-python.ts

# Wires and client are bundled into it.
$(CONSOLE): node_modules/.palisade-installed $(shell find packages/console packages/client/src packages/ids-wire/src -type f -not -path '*/dist/*' -not -path '*/node_modules/*' -not -name '*.test.ts*')
	@echo "setup: building the console into packages/console/dist (about 10 seconds)"
	@npm run -s console

console: $(CONSOLE) ## build the console that the server shows under /console/

sdk: node_modules/.palisade-installed ## pack the SDKs and install them into build/sdk as a user would
	@node tools/build-sdk.ts

demo: setup sdk ## run examples/shop, from a program to a threat log
	@node tools/demo.ts

test: setup sdk ## run lint, type check and all tests
	@tools/run-tests.sh

lint: node_modules/.palisade-installed ## check format and lint
	@npm run -s lint

check: node_modules/.palisade-installed ## check types
	@npm run -s check

gen: node_modules/.palisade-installed ## regenerate everything below src/gen, the schemas and the SDKs
	@npm run -s gen

bench: setup ## run the benchmarks, next to the reference programs if present
	@node bench/run.ts

peers: setup ## build the reference programs of tests and benchmarks with Go (minutes, once)
	@node bench/build-peers.ts

soak: setup sdk ## run the long forms of all tests and fuzzers; MINUTES=N: the robustness suite alone, for N minutes
	@tools/soak.sh $(MINUTES)
