#!/bin/sh
# Links the pinned Node 24 as node_modules/.bin/node.
# npm 9 and 10 drop a link when two optional packages share a bin name; npm skips a failed optional download silently.
set -eu
cd "$(dirname "$0")/.."
case $(uname -m) in
  x86_64) arch=x64 ;;
  aarch64) arch=arm64 ;;
  *) echo "no pinned Node for $(uname -m): Palisade runs on x86_64 and aarch64" >&2; exit 1 ;;
esac
[ -x "node_modules/node-linux-$arch/bin/node" ] || { echo "node-linux-$arch was not installed: run npm ci again" >&2; exit 1; }
mkdir -p node_modules/.bin
ln -sfn "../node-linux-$arch/bin/node" node_modules/.bin/node
