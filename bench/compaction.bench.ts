// SPDX-License-Identifier: Apache-2.0
/**
 * Compaction: the longest wait of a write with and without it, the file before and after, and `palisade serve` over what is
 * left. Rounds are in order, one figure a round. etcd, if it is built (`make peers`), does the same once.
 *
 *   node bench/compaction.bench.ts [store|restart|etcd …]
 */
import {mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {benchEtcd} from './compaction/etcd.ts';
import {BURSTS, type Burst} from './compaction/probe.ts';
import {benchRestart} from './compaction/restart.ts';
import {benchStore} from './compaction/store.ts';
import {peerOrWhyNot} from './peers.ts';

const ROUNDS = 3;
const PARTS = ['store', 'restart', 'etcd'] as const;
const wanted = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), 'palisade-compaction-bench-'));
let folders = 0;

const inFolder = async (work: (dir: string) => Promise<void>): Promise<void> => {
  const dir = join(scratch, String(folders++));
  mkdirSync(dir);
  await work(dir);
  rmSync(dir, {recursive: true, force: true});
};

const runEtcd = async (): Promise<void> => {
  const {path, whyNot} = peerOrWhyNot('etcd');
  if (path === '') {
    console.error(`etcd: skipped: ${whyNot}`);
    return;
  }
  for (const burst of BURSTS) await inFolder(dir => benchEtcd(path, dir, burst));
};

const rounds = async (work: (dir: string) => Promise<void>): Promise<void> => {
  for (let round = 0; round < ROUNDS; round++) await inFolder(work);
};

try {
  for (const part of PARTS) {
    if (wanted.length > 0 && !wanted.includes(part)) continue;
    if (part === 'etcd') await runEtcd();
    if (part === 'store') for (const burst of BURSTS) await rounds(dir => benchStore(dir, burst));
    if (part === 'restart') await rounds(dir => benchRestart(dir, BURSTS[0] as Burst));
  }
} finally {
  rmSync(scratch, {recursive: true, force: true});
}
