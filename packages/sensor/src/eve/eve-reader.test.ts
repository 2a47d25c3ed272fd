// SPDX-License-Identifier: Apache-2.0
import {execFileSync} from 'node:child_process';
import {
  appendFile,
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import fc from 'fast-check';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import type {EveCheckpoint} from '../record-sink.ts';
import {beginEveRun, listEveFiles, rotateEveFile} from './eve-files.ts';
import {EveReader} from './eve-reader.ts';

const LIMITS = {eveReadBytes: 512, eveLineBytesMax: 4096};
let folder = '';
let uuids = 0;
const random = {uuid: () => `file-${++uuids}`};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palisade-eve-'));
});
afterEach(() => rm(folder, {recursive: true, force: true}));

const eve = (): string => join(folder, 'eve.json');
const write = (text: string): Promise<void> => appendFile(eve(), text);

/** Reads what there is, with the position made durable after each block: `[lines, unreadable]`. Our own lines are left out. */
const readAll = async (
  reader: EveReader,
): Promise<{lines: string[]; unreadable: number; ids: string[]; checkpoint: EveCheckpoint | undefined}> => {
  const lines: string[] = [];
  const ids: string[] = [];
  let unreadable = 0;
  let checkpoint: EveCheckpoint | undefined;
  for (let block = await reader.read(); block !== undefined; block = await reader.read()) {
    unreadable += block.unreadable;
    let at = block.start;
    for (const line of block.bytes.toString('utf8').split('\n').slice(0, -1)) {
      if (!line.includes('"palisade"')) {
        lines.push(line);
        ids.push(`${block.fileId}-${at}`);
      }
      at += Buffer.byteLength(line) + 1;
    }
    checkpoint = block.checkpoint;
    await reader.advance(block.checkpoint);
  }
  return {lines, unreadable, ids, checkpoint};
};

const opened = async (checkpoint?: EveCheckpoint): Promise<EveReader> => {
  const reader = new EveReader(folder, LIMITS);
  await reader.seek(checkpoint);
  return reader;
};

describe('EveReader', () => {
  test('a file that was read is not read again when the one after it is deleted before the position is durable', async () => {
    await beginEveRun(folder, random, undefined);
    const reader = await opened();
    await write('{"a":1}\n');
    expect((await readAll(reader)).lines).toEqual(['{"a":1}']);
    await rotateEveFile(folder, random, undefined);
    await write('{"b":2}\n');
    const turned = await reader.read();
    expect(turned?.bytes.length).toBe(0);
    await rm(eve());
    await rotateEveFile(folder, random, undefined);
    await write('{"c":3}\n');
    if (turned !== undefined) await reader.advance(turned.checkpoint);
    expect((await readAll(reader)).lines).toEqual(['{"b":2}', '{"c":3}']);
    expect(await listEveFiles(folder)).toEqual(['eve.json']);
    await reader.close();
  });

  test('a line is read when it is whole: torn ones wait', async () => {
    await beginEveRun(folder, random, undefined);
    const reader = await opened();
    await write('{"a":1}\n{"b":');
    expect((await readAll(reader)).lines).toEqual(['{"a":1}']);
    expect((await readAll(reader)).lines).toEqual([]);
    await write('2}\n');
    expect((await readAll(reader)).lines).toEqual(['{"b":2}']);
    await reader.close();
  });

  test('a torn line of a dead run is closed before the next run, and costs no other line', async () => {
    await beginEveRun(folder, random, undefined);
    await write('{"a":1}\n{"torn":');
    await beginEveRun(folder, random, undefined);
    await write('{"b":2}\n');
    const reader = await opened();
    expect((await readAll(reader)).lines).toEqual(['{"a":1}', '{"torn":', '{"b":2}']);
    await reader.close();
  });

  test('lines longer than a read come whole; lines longer than the limit are skipped and counted', async () => {
    await beginEveRun(folder, random, undefined);
    const long = 'x'.repeat(3000);
    await write(`${long}\n${'y'.repeat(9000)}\nafter\n`);
    const reader = await opened();
    expect(await readAll(reader)).toMatchObject({lines: [long, 'after'], unreadable: 1});
    await reader.close();
  });

  test('rotation: the old file to its end, then the new one; the old one is removed', async () => {
    await beginEveRun(folder, random, undefined);
    await write('one\n');
    const reader = await opened();
    expect((await readAll(reader)).lines).toEqual(['one']);
    await rotateEveFile(folder, random, undefined);
    const [old = ''] = await listEveFiles(folder);
    await appendFile(join(folder, old), 'two\n'); // Suricata has not reopened yet
    expect((await readAll(reader)).lines).toEqual(['two']);
    await appendFile(join(folder, old), 'three\ntorn');
    await write('four\n');
    expect(await readAll(reader)).toMatchObject({lines: ['three', 'four'], unreadable: 1});
    expect(await listEveFiles(folder)).toEqual(['eve.json']);
    await reader.close();
  });

  test('a file whose folder was copied elsewhere is still the same file', async () => {
    await beginEveRun(folder, random, undefined);
    await write('one\ntwo\n');
    const first = await opened();
    const {checkpoint} = await readAll(first);
    await first.close();
    await copyFile(eve(), `${eve()}.copy`);
    await rm(eve());
    await copyFile(`${eve()}.copy`, eve());
    await write('three\n');
    const second = await opened(checkpoint);
    expect((await readAll(second)).lines).toEqual(['three']);
    await second.close();
  });

  test('another file with the same inode number is not the same file', async () => {
    await beginEveRun(folder, random, undefined);
    await write('one\n');
    const first = await opened();
    const {checkpoint} = await readAll(first);
    await first.close();
    await truncate(eve(), 0); // the inode stays
    await writeFile(eve(), '{"event_type":"palisade","file":"other"}\nnew one\n');
    const second = new EveReader(folder, LIMITS);
    expect(await second.seek(checkpoint)).toBe(false);
    expect((await readAll(second)).lines).toEqual(['new one']);
    await second.close();
  });

  test('no file: nothing, until there is one', async () => {
    const reader = await opened();
    expect(await reader.read()).toBeUndefined();
    await beginEveRun(folder, random, undefined);
    await write('one\n');
    expect((await readAll(reader)).lines).toEqual(['one']);
    await reader.close();
  });

  test('F-06 a file that is truncated is noticed however long it is again; it is read on, and no line gets the id of another', async () => {
    let cuts = 0;
    const reader = new EveReader(folder, {...LIMITS, onCut: () => cuts++});
    await beginEveRun(folder, random, undefined);
    await reader.seek(undefined);
    const ids = new Set<string>();
    const read = async (): Promise<string[]> => {
      const {lines, ids: more} = await readAll(reader);
      for (const id of more) {
        expect(ids).not.toContain(id);
        ids.add(id);
      }
      return lines;
    };
    await write('one\ntwo\n');
    expect(await read()).toEqual(['one', 'two']);
    await truncate(eve(), 0); // as copytruncate does; Suricata appends
    expect([await read(), cuts]).toEqual([[], 1]);
    await write('three\n');
    expect(await read()).toEqual(['three']);
    await truncate(eve(), 0);
    const longer = Array.from({length: 50}, (_, i) => `line ${i} of a file that is longer than it was`);
    await write(`${longer.join('\n')}\n`);
    expect([await read(), cuts]).toEqual([longer, 2]);
    const size = (await readFile(eve())).length;
    await truncate(eve(), size - 10); // in the middle of a line; the first line, by which it is known, is still there
    expect([await read(), cuts]).toEqual([[], 3]);
    await write('four\nfive\n');
    expect([await read(), cuts]).toEqual([['four', 'five'], 3]);
    await reader.close();
  });

  test('F-06 truncated behind its first line, which says whose it is: the rest is read, under another id, also by the next reader', async () => {
    const seen: string[] = [];
    await beginEveRun(folder, random, undefined);
    const header = (await readFile(eve())).length;
    await write('one\ntwo\n');
    const first = new EveReader(folder, {...LIMITS, onCut: when => seen.push(when)});
    await first.seek(undefined);
    const before = await readAll(first);
    await truncate(eve(), header + 4); // "one" stays
    expect((await readAll(first)).lines).toEqual([]);
    await write('TWO\n');
    const after = await readAll(first);
    expect([after.lines, seen]).toEqual([['TWO'], ['now']]);
    expect(before.ids).not.toContain(after.ids[0]);
    await first.close();
    const second = new EveReader(folder, {...LIMITS, onCut: when => seen.push(when)});
    expect(await second.seek(after.checkpoint)).toBe(true);
    await write('three\n');
    const next = await readAll(second);
    expect([next.lines, seen]).toEqual([['three'], ['now']]);
    await second.close();
    await truncate(eve(), header);
    const third = new EveReader(folder, {...LIMITS, onCut: when => seen.push(when)});
    expect(await third.seek(next.checkpoint)).toBe(true);
    expect(seen).toEqual(['now', 'away']);
    await write('four\n');
    const last = await readAll(third);
    expect(last.lines).toEqual(['four']);
    expect([...before.ids, ...after.ids, ...next.ids]).not.toContain(last.ids[0]);
    await third.close();
  });

  test('F-06 a part that may have been read or not, since it is long again, is left out and not read twice', async () => {
    let cuts = 0;
    await beginEveRun(folder, random, undefined);
    const header = (await readFile(eve())).length;
    await write('one\ntwo\n');
    const reader = new EveReader(folder, {...LIMITS, onCut: () => cuts++});
    await reader.seek(undefined);
    await readAll(reader);
    await truncate(eve(), header + 4);
    await write('TWO\nthree\n');
    expect([(await readAll(reader)).lines, cuts]).toEqual([['three'], 1]);
    await reader.close();
  });

  test('F-06 a file that lost its name is read to its end, then the next one; a copy of it is not read twice', async () => {
    await beginEveRun(folder, random, undefined);
    await write('one\n');
    const reader = await opened();
    expect((await readAll(reader)).lines).toEqual(['one']);
    const suricata = await open(eve(), 'a');
    await copyFile(eve(), `${eve()}~`);
    await rename(`${eve()}~`, eve());
    expect((await readAll(reader)).lines).toEqual([]);
    await suricata.write('two\n'); // into the file without a name
    expect((await readAll(reader)).lines).toEqual(['two']);
    await rm(eve());
    await beginEveRun(folder, random, undefined);
    await write('three\n');
    expect((await readAll(reader)).lines).toEqual(['three']);
    await suricata.close();
    await reader.close();
  });

  test('F-06 what is no file, or an empty one that nobody will write to, does not stop the reader', async () => {
    await beginEveRun(folder, random, undefined);
    await write('one\n');
    await mkdir(join(folder, 'eve.000001.json'));
    await writeFile(join(folder, 'eve.000002.json'), '');
    execFileSync('mkfifo', [join(folder, 'eve.000003.json')]);
    const reader = await opened();
    expect((await readAll(reader)).lines).toEqual(['one']);
    await reader.close();
  });

  test('every line once, in order, with an id of its own, over any mix of writes, rotations, new runs and crashes of the reader', async () => {
    const step = fc.oneof(
      {weight: 6, arbitrary: fc.record({write: fc.integer({min: 1, max: 40})})},
      {weight: 2, arbitrary: fc.constant('rotate' as const)},
      {weight: 2, arbitrary: fc.constant('run' as const)},
      {weight: 3, arbitrary: fc.constant('read' as const)},
      {weight: 2, arbitrary: fc.constant('crash' as const)},
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, {maxLength: 40}), async steps => {
        for (const name of await readdir(folder)) await rm(join(folder, name));
        await beginEveRun(folder, random, undefined);
        let reader = await opened();
        let number = 0;
        let durable: EveCheckpoint | undefined;
        const got: string[] = [];
        const ids: string[] = [];
        const read = async (): Promise<void> => {
          const all = await readAll(reader);
          got.push(...all.lines);
          ids.push(...all.ids);
          durable = all.checkpoint ?? durable;
        };
        for (const action of steps) {
          if (action === 'rotate') await rotateEveFile(folder, random, undefined);
          else if (action === 'run') await beginEveRun(folder, random, undefined);
          else if (action === 'read') await read();
          else if (action === 'crash') {
            await reader.read(); // a block that never becomes durable
            await reader.close();
            reader = await opened(durable);
          } else for (let i = 0; i < action.write; i++) await write(`line ${number++}\n`);
        }
        await beginEveRun(folder, random, undefined);
        await read();
        await reader.close();
        expect(got).toEqual(Array.from({length: number}, (_, i) => `line ${i}`));
        expect(new Set(ids).size).toBe(number);
      }),
      {seed: 20261121, numRuns: 40},
    );
  }, 60_000);
});
