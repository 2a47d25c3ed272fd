#!/bin/sh
# Installs tcpdump, with which tests and guides read mirrored packets, where it is absent and that is permitted. Never fails: tests skip without it.
set -eu

say() { echo "tcpdump: $*" >&2; }

command -v tcpdump >/dev/null && exit 0
if ! command -v apt-get >/dev/null; then sudo=none
elif [ "$(id -u)" = 0 ]; then sudo=""
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo="sudo -n"
else sudo=none; fi
[ "$sudo" = none ] && { say "not installed, and cannot be installed here: tests that read packets with it are skipped"; exit 0; }
export DEBIAN_FRONTEND=noninteractive
say "installing"
{ $sudo apt-get update && $sudo apt-get install -y --no-install-recommends tcpdump; } >/dev/null 2>&1 ||
  say "could not be installed: tests that read packets with it are skipped"
