// SPDX-License-Identifier: Apache-2.0
/** How long a server for tests of a controller takes until a client has written, and to end: Palisade, and envtest of controller-runtime. */
import {spawnSync} from 'node:child_process';
import {resolve} from 'node:path';
import {buildPeer, buildPeers} from './peers.ts';

const program = buildPeer('client-go');
if (program === undefined || buildPeers() === undefined)
  console.error('start-for-tests: skipped, the programs of build/peers are missing');
else {
  const flags = ['-palisade', 'node_modules/.bin/palisade', '-assets', resolve('build/peers')];
  process.exitCode = spawnSync(program, flags, {stdio: 'inherit'}).status ?? 1;
}
