#!/bin/sh
# Installs Suricata 7 where it is absent or too old. Exit 0: it is there; 3: it is missing and cannot be installed here.
# Debian 12 takes it from bookworm-backports, at the mirror that the machine's own apt sources name.
set -eu

say() { echo "suricata: $*" >&2; }

version() { suricata -V 2>/dev/null | sed -n 's/.*version \([0-9][0-9]*\)\..*/\1/p'; }
[ "$(version)" ] && [ "$(version)" -ge 7 ] && { say "$(suricata -V 2>/dev/null)"; exit 0; }
[ "$(version)" ] && say "version $(version) is too old: 7 or newer is needed"

. /etc/os-release
if ! command -v apt-get >/dev/null; then
  say "this machine has no apt-get: install Suricata 7 or newer by hand, then run make setup again"; exit 3
fi
if [ "$(id -u)" = 0 ]; then sudo=""
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo="sudo -n"
else say "needs root to install: run 'sudo $0', or install Suricata 7 or newer by hand"; exit 3; fi

export DEBIAN_FRONTEND=noninteractive
log=$(mktemp); trap 'rm -f "$log"' EXIT
run() { say "$1"; shift; "$@" >"$log" 2>&1 || { tail -n 5 "$log" >&2; return 1; }; }
run "refreshing the package lists" $sudo apt-get update || say "some package lists could not be refreshed; continuing with the existing ones"

target=""
if [ "${VERSION_CODENAME:-}" = bookworm ]; then
  target="-t bookworm-backports"
  if [ -z "$(apt-get indextargets --format '$(CODENAME)' 'Created-By: Packages' 'Codename: bookworm-backports')" ]; then
    uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' 'Component: main' | head -n 1)
    [ "$uri" ] || { say "found no Debian mirror in the apt sources: add bookworm-backports, then run this again"; exit 3; }
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri bookworm-backports main" |
      $sudo tee /etc/apt/sources.list.d/palisade-backports.list >/dev/null
    run "adding bookworm-backports" $sudo apt-get update || say "some package lists could not be refreshed; continuing"
  fi
fi
# shellcheck disable=SC2086
run "installing (up to a minute)" $sudo apt-get install -y --no-install-recommends $target suricata ||
  { say "the package could not be installed: install Suricata 7 or newer by hand"; exit 3; }
# The package starts a service on a real interface; Palisade supervises its own processes.
if command -v systemctl >/dev/null && [ -d /run/systemd/system ]; then $sudo systemctl disable --now suricata >/dev/null 2>&1 || true; fi
[ "$(version)" ] && [ "$(version)" -ge 7 ] || { say "the package of this system is version $(version): 7 or newer is needed"; exit 3; }
say "$(suricata -V 2>/dev/null)"
