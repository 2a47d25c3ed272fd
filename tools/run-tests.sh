#!/bin/sh
# Lint, types and tests; ends with the line `N passed, N failed`. Exit 0 only when nothing failed and something passed.
set -u
cd "$(dirname "$0")/.."
PATH="$PWD/node_modules/.bin:$PATH"; export PATH
failed=0
npm run -s lint || failed=$((failed + 1))
npm run -s check || failed=$((failed + 1))
rm -f test-results/vitest.json
vitest run "$@"
node tools/closing-line.ts "$failed"
