#!/bin/sh
# Installs Debian's chromium without a window system, in which tests open the console, where no browser is there and that is permitted.
# Never fails: tests skip without it. Ref: test/console/support/browser-program.ts has the same list.
set -eu

say() { echo "chromium: $*" >&2; }

for program in chromium-headless-shell chromium google-chrome; do
  command -v "$program" >/dev/null && exit 0
done
if ! command -v apt-get >/dev/null; then why="this machine has no apt-get"
elif [ "$(id -u)" = 0 ]; then why=""; sudo=""
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then why=""; sudo="sudo -n"
else why="that needs root"
fi
[ "$why" ] && { say "not installed, and cannot be installed here ($why): tests in a browser are skipped"; exit 0; }
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp); trap 'rm -f "$log"' EXIT
install() { $sudo apt-get install -y --no-install-recommends "$1" >"$log" 2>&1; }
say "installing (about 110 MB, up to a minute)"
install chromium-headless-shell && exit 0
# The package lists may be old or absent. Other distributions have no package of its own for the shell.
$sudo apt-get update >/dev/null 2>&1 || true
install chromium-headless-shell || install chromium && exit 0
tail -n 3 "$log" >&2
say "could not be installed: tests in a browser are skipped"
