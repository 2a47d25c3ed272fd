#!/bin/sh
# The long forms of the tests and of the robustness suite.
#   tools/soak.sh          the long forms of the tests, then 10 minutes each: the robustness suite, fuzzing, schemathesis
#   tools/soak.sh MINUTES  the robustness suite alone
set -u
cd "$(dirname "$0")/.."
PATH="$PWD/node_modules/.bin:$PATH"; export PATH
failed=0
if [ $# -gt 0 ]; then
  exec node test/robustness/suite/soak.ts --minutes "$1"
fi
PALISADE_SOAK=1 tools/run-tests.sh || failed=1
node test/robustness/suite/soak.ts --minutes 10 || failed=1
node test/fuzz/run.ts --minutes 10 || failed=1
node test/fuzz/schemathesis.ts --minutes 10 || failed=1
exit "$failed"
