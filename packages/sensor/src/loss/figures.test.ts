// SPDX-License-Identifier: Apache-2.0
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {Figures} from './figures.ts';
import {FIGURES_FILE, parseFigures} from './figures-file.ts';
import {NO_PACKETS, type PacketSums} from './packet-totals.ts';

const at = (second: number): string => new Date(second * 1000).toISOString();

class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'palisade-figures-'));
  readonly file = join(this.folder, FIGURES_FILE);
  readonly logged: string[] = [];
  second = 1000;

  open(): Promise<Figures> {
    const note = (_: object, message: string): void => void this.logged.push(message);
    const log = {debug: note, info: note, warn: note, error: note};
    return Figures.open({endpoint: 'e', folder: this.folder, clock: {now: () => this.second * 1000}, log});
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, {recursive: true, force: true});
  }
}

/** Packets of a run, `dropped` of them in the socket. */
const packets = (received: number, dropped = 0): PacketSums => ({
  ...NO_PACKETS,
  received,
  bytes: received * 100,
  drops: {...NO_PACKETS.drops, socket: dropped},
});

test('43-3 counts continue over a restart of the server, and so do minutes and blind times', async () => {
  using bench = new Bench();
  const first = await bench.open();
  expect([first.isOld, first.blind.intervals, first.totals(packets(3))]).toEqual([false, [], packets(3)]);
  first.look(packets(100, 10));
  first.blind.begin('engine', 'Suricata ended');
  bench.second = 1002;
  first.blind.end();
  await first.save(packets(100, 10));
  expect(readdirSync(bench.folder)).toEqual([FIGURES_FILE]);
  bench.second = 1062; // killed; the next server
  const second = await bench.open();
  expect([second.isOld, second.totals(NO_PACKETS), second.saved]).toEqual([
    true,
    packets(100, 10),
    {packets: packets(100, 10), blindSeconds: 2},
  ]);
  second.look(packets(5));
  bench.second = 1065;
  second.blind.end();
  await second.save(packets(5));
  expect([second.totals(packets(5)), second.minutes, second.blind.intervals, second.blind.totalSeconds]).toEqual([
    packets(105, 10),
    [
      {minute: '1970-01-01T00:16:00Z', received: 100, dropped: 10},
      {minute: '1970-01-01T00:17:00Z', received: 5, dropped: 0},
    ],
    [
      {from: at(1000), until: at(1002), why: 'Suricata ended'},
      {from: at(1002), until: at(1065), why: 'the server ended without a stop'},
    ],
    65,
  ]);
});

test('43-3 a server that never got READY again does not move the beginning of the blind time', async () => {
  using bench = new Bench();
  const first = await bench.open();
  await first.save(packets(1));
  bench.second = 1010;
  await bench.open(); // killed at once
  bench.second = 1020;
  const third = await bench.open();
  expect(third.blind.intervals).toEqual([{from: at(1000), why: 'the server ended without a stop'}]);
});

test('43-3 what counters are made of is what was saved, and does not go down with the clock', async () => {
  using bench = new Bench();
  const figures = await bench.open();
  figures.blind.begin('engine', 'Suricata ended');
  bench.second = 1010;
  await figures.save(packets(10));
  expect(figures.saved).toEqual({packets: packets(10), blindSeconds: 10});
  figures.look(packets(20));
  expect(figures.saved.packets).toEqual(packets(10));
  bench.second = 1001;
  await figures.save(packets(20));
  expect(figures.saved).toEqual({packets: packets(20), blindSeconds: 10});
});

test('43-3 a folder that takes no file: said once in the log and in the health, until it does', async () => {
  using bench = new Bench();
  const figures = await bench.open();
  rmSync(bench.folder, {recursive: true});
  await figures.save(packets(1));
  await figures.save(packets(2));
  expect(bench.logged).toEqual(['loss figures not saved, retrying']);
  expect(figures.problem).toMatch(/^loss figures cannot be saved: ENOENT.*; a restart of the server would lose them$/);
  expect(figures.saved.packets).toEqual(packets(2));
  mkdirSync(bench.folder);
  await figures.save(packets(3));
  expect(figures.problem).toBeUndefined();
  expect(parseFigures(readFileSync(bench.file, 'utf8'))?.packets).toEqual(packets(3));
});

test.each([
  ['no JSON', 'abc'],
  ['an empty file', ''],
  ['another format', '{"format":2,"aliveMs":1000}'],
  ['no sign of life', '{"format":1}'],
  ['a list', '[]'],
])('43-3 a file with %s is as no file', async (_, text) => {
  using bench = new Bench();
  writeFileSync(bench.file, text);
  expect((await bench.open()).isOld).toBe(false);
});

test('43-3 a link in the place of the file is not followed', async () => {
  using bench = new Bench();
  const other = join(bench.folder, 'other.json');
  writeFileSync(other, '{"format":1,"aliveMs":1000}');
  symlinkSync(other, bench.file);
  expect((await bench.open()).isOld).toBe(false);
});

test('43-3 values that cannot be are taken for nothing, and lists and texts are cut', () => {
  const interval = {fromMs: 1000, untilMs: 2000, why: 'x'.repeat(10_000)};
  const read = parseFigures(
    JSON.stringify({
      format: 1,
      aliveMs: 5000,
      packets: {received: -1, bytes: 1.5, drops: {socket: 'a', queue: 3}, malformed: null},
      minutes: [{minute: 1e300}, {minute: 7, received: 2, dropped: 1}, 'no'],
      blind: {
        closed: [...Array(200).fill(interval), {fromMs: 3000, untilMs: 1, why: 'back'}, {why: 1}],
        closedMs: Number.MAX_VALUE,
        open: {fromMs: 1, cause: 'moon', why: ''},
      },
    }),
  );
  expect(read).toMatchObject({
    packets: {...NO_PACKETS, drops: {...NO_PACKETS.drops, queue: 3}},
    minutes: [{minute: 7, received: 2, dropped: 1}],
    blind: {closedMs: 0, open: undefined},
  });
  expect([read?.blind.closed.length, read?.blind.closed[0]?.why.length]).toEqual([98, 500]);
});

test('49-3 packets over time are on disk a minute later and at the end, and continue over a restart of the server', async () => {
  using bench = new Bench();
  const first = await bench.open();
  first.look(packets(5));
  await first.save(packets(5));
  expect(readdirSync(bench.folder)).toEqual([FIGURES_FILE]);
  bench.second = 1065;
  await first.save(packets(5));
  expect((await bench.open()).history.long.rows).toEqual([{startMs: 900_000, received: 5, bytes: 500, dropped: 0}]);
  await first.close(packets(8, 1));
  const second = await bench.open();
  second.look(packets(2));
  expect(second.history.long.rows).toEqual([{startMs: 900_000, received: 10, bytes: 1000, dropped: 1}]);
  expect(second.history.short.rows.map(({startMs, received}) => [startMs, received])).toEqual([
    [1_000_000, 5],
    [1_060_000, 5],
  ]);
});
