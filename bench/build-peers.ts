// SPDX-License-Identifier: Apache-2.0
/**
 * `make peers`: programs that tests and benches compare with, send to, or let read. What is built of the same sources stays.
 *
 *   node bench/build-peers.ts            all
 *   node bench/build-peers.ts coredns    only these
 */
import {PEERS} from './peer-builds.ts';
import {buildPeer} from './peers.ts';

const wanted = process.argv.slice(2);
const unknown = wanted.filter(name => !PEERS.some(peer => peer === name));
if (unknown.length > 0) {
  console.error(`peers: unknown name: ${unknown.join(', ')}; the names are ${PEERS.join(', ')}`);
  process.exit(2);
}
const built = PEERS.filter(name => wanted.length === 0 || wanted.includes(name)).map(name => buildPeer(name));
if (built.includes(undefined)) process.exitCode = 1;
