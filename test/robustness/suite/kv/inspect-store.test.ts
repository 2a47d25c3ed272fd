// SPDX-License-Identifier: Apache-2.0
import {cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {openSqliteStore} from '@palisade/store/sqlite';
import {expect, onTestFinished, test} from 'vitest';
import {framesOf} from '../damage.ts';
import {inspectStore} from './inspect-store.ts';
import {KvRecord} from './record.ts';

const WRITES = 5;
const text = (value: Uint8Array): string => Buffer.from(value).toString();

/** A store with some answered writes, one commit each, and a copy of it as a kill leaves it; the log of one commit begins with zeros. */
const withZeroedCommit = async (zeroed: number): Promise<{copy: string; record: KvRecord}> => {
  const folder = mkdtempSync(join(tmpdir(), 'palisade-inspect-'));
  onTestFinished(() => rmSync(folder, {recursive: true}));
  const [dir, copy] = [join(folder, 'data'), join(folder, 'copy')];
  const record = new KvRecord();
  await using store = await openSqliteStore({dir});
  const wal = join(dir, 'store.db-wal');
  let at = 0;
  for (let n = 0; n < WRITES; n++) {
    if (n === zeroed) at = readFileSync(wal).length;
    const [key, id] = [`/k/${n % 2}`, `id.${n}`];
    const call = record.call('c', {kind: 'write', steps: [{op: 'put', key, id}]});
    record.answer(call, {kind: 'written', revision: Number(await store.put(key, Buffer.from(id)))});
  }
  cpSync(dir, copy, {recursive: true});
  const log = readFileSync(join(copy, 'store.db-wal'));
  writeFileSync(join(copy, 'store.db-wal'), log.fill(0, at, at + framesOf(log).bytes));
  return {copy, record};
};

test.each([
  {zeroed: WRITES - 1, lost: 'last-commit'},
  {zeroed: WRITES - 2, lost: 'last-commit'},
])(
  '48-1 a zeroed frame of commit $zeroed: $lost; what is kept is judged at its own revision',
  async ({zeroed, lost}) => {
    const {copy, record} = await withZeroedCommit(zeroed);
    const found = await inspectStore({dir: copy}, record, {prefix: '', idOf: text, writers: 2, seesAll: true});
    expect(found).toEqual({faults: [], lost});
  },
);

test('48-1 a zeroed frame with two commits behind it is refused', async () => {
  const {copy, record} = await withZeroedCommit(WRITES - 3);
  const found = await inspectStore({dir: copy}, record, {prefix: '', idOf: text, writers: 2, seesAll: true});
  expect(found).toMatchObject({refused: 'lost-writes'});
});
