// SPDX-License-Identifier: Apache-2.0
/**
 * `make peers`: programs that tests and benches compare with, send to, or let read.
 *
 *   node bench/build-peers.ts            all
 *   node bench/build-peers.ts coredns    only these
 */
import {buildPeer, PEERS} from './peers.ts';

const wanted = process.argv.slice(2);
const unknown = wanted.filter(name => !PEERS.some(peer => peer === name));
if (unknown.length > 0) {
  console.error(`peers: unknown name: ${unknown.join(', ')}; the names are ${PEERS.join(', ')}`);
  process.exit(2);
}
const built = PEERS.filter(name => wanted.length === 0 || wanted.includes(name)).map(buildPeer);
if (built.includes(undefined)) process.exitCode = 1;
