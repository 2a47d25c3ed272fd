#!/bin/sh
# The long forms of the tests and of the robustness suite.
#   tools/soak.sh          the long forms of the tests, then the robustness suite for 10 minutes
#   tools/soak.sh MINUTES  the robustness suite alone
set -u
cd "$(dirname "$0")/.."
PATH="$PWD/node_modules/.bin:$PATH"; export PATH
failed=0
if [ $# -eq 0 ]; then
  PALISADE_SOAK=1 tools/run-tests.sh || failed=1
fi
node test/robustness/suite/soak.ts --minutes "${1:-10}" || failed=1
exit "$failed"
