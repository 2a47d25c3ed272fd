// SPDX-License-Identifier: Apache-2.0
/** Another program changes the event file under the reader: noticed, counted against Suricata's own count, and reading continues. */
import {
  appendFileSync,
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import type {SensorSpec} from '@palisade/sensor';
import {describe, expect, test} from 'vitest';
import {Lab, LabFolder, newSpec, skipReason, whyNot} from './lab/lab.ts';
import {distinctHits, hit, SEVERITY_RULES} from './lab/rules.ts';

const LIMIT_MS = 20_000;

/** The folder of the only endpoint. */
const placeOf = (folder: LabFolder): string => {
  const endpoints = join(folder.path, 'data', 'endpoints');
  return join(endpoints, readdirSync(endpoints)[0] ?? '');
};
const alertsIn = (file: string): number => readFileSync(file, 'utf8').split('"event_type":"alert"').length - 1;

type Running = {readonly lab: Lab; readonly spec: SensorSpec; readonly place: string; readonly eve: string};

/** Everything sent from now on is read, too, and the sum of all is right. */
const readsOn = async ({lab, spec}: Running, sent: number, net: number): Promise<void> => {
  await lab.send(spec, distinctHits(20, net));
  await lab.ask('until', {seen: sent + 20, endpoint: spec.endpoint}, LIMIT_MS);
  const {seen, stored, lost} = (await lab.health(spec)).alerts;
  expect({seen, sum: stored + lost}).toEqual({seen: sent + 20, sum: sent + 20});
};

const started = async (lab: Lab, folder: LabFolder, limits = {}): Promise<Running> => {
  await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], limits}));
  const spec = newSpec();
  await lab.ask('start', spec);
  await lab.send(spec, distinctHits(10, 50));
  await lab.ask('until', {seen: 10, endpoint: spec.endpoint}, LIMIT_MS);
  const place = placeOf(folder);
  return {lab, spec, place, eve: join(place, 'eve.json')};
};

/** What others do to the file, and the word for it. */
const ACTS: readonly (readonly [string, RegExp, (eve: string) => void])[] = [
  ['truncated to nothing', /truncated/, eve => truncateSync(eve)],
  ['truncated in the middle of a line', /truncated/, eve => truncateSync(eve, lstatSync(eve).size - 700)],
  [
    'copied and truncated, then longer than before',
    /truncated/,
    eve => {
      truncateSync(eve);
      appendFileSync(eve, `${'{"event_type":"flow"}\n'.repeat(2000)}`);
    },
  ],
  ['deleted', /deleted/, eve => rmSync(eve)],
  ['moved to another name', /deleted/, eve => renameSync(eve, `${eve}.1`)],
  [
    'replaced by an empty file',
    /replaced/,
    eve => {
      renameSync(eve, `${eve}.1`);
      writeFileSync(eve, '');
    },
  ],
  [
    'replaced by a copy of itself, as editors do',
    /replaced/,
    eve => {
      writeFileSync(`${eve}~`, readFileSync(eve));
      renameSync(`${eve}~`, eve);
    },
  ],
  [
    'replaced by a symbolic link',
    /replaced/,
    eve => {
      renameSync(eve, `${eve}.1`);
      symlinkSync(`${eve}.1`, eve);
    },
  ],
  [
    'replaced by a hard link to another file',
    /replaced/,
    eve => {
      writeFileSync(`${eve}.2`, '{"event_type":"flow"}\n');
      rmSync(eve);
      linkSync(`${eve}.2`, eve);
    },
  ],
  [
    'replaced by a folder',
    /replaced/,
    eve => {
      rmSync(eve);
      mkdirSync(eve);
    },
  ],
];

describe.skipIf(whyNot !== undefined)(`damage to the event file${skipReason}`, () => {
  test.each(ACTS)('F-06 the event file %s: the health says so, and reading continues', async (_, word, act) => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const running = await started(lab, folder);
    const {spec, eve} = running;
    act(eve);
    await lab.ask('until', {reason: `^the event file was ${word.source}`, endpoint: spec.endpoint}, LIMIT_MS);
    await readsOn(running, 10, 51);
    expect((await lab.ask('logs')).filter(line => word.test(line.message))).toMatchObject([
      {level: 'warn', fields: {endpoint: spec.endpoint}},
    ]);
    expect(lstatSync(eve).isFile()).toBe(true);
    await expect.poll(() => readFileSync(eve, 'utf8')).toContain('"event_type":"stats"'); // Suricata writes there
  });

  test('F-06 what was not read before the file was truncated is counted as lost, by the count of Suricata', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const running = await started(lab, folder);
    const {spec, eve} = running;
    await lab.ask('failSink', 'before'); // the reader waits with the first of them
    await lab.send(spec, [hit('two')]);
    await lab.ask('until', {reason: '^records cannot be stored', endpoint: spec.endpoint}, LIMIT_MS);
    await lab.send(spec, distinctHits(7, 52));
    await expect.poll(() => alertsIn(eve)).toBe(18);
    truncateSync(eve);
    await lab.ask('failSink', undefined);
    await lab.ask('until', {seen: 18, endpoint: spec.endpoint}, LIMIT_MS);
    expect((await lab.health(spec)).alerts).toMatchObject({seen: 18, stored: 11, lost: 7});
    await readsOn(running, 18, 53);
    await lab.ask('until', {status: 'READY', endpoint: spec.endpoint}, LIMIT_MS);
    expect((await lab.health(spec)).reasons).toEqual([
      expect.stringMatching(/^the event file was truncated by another program/),
      '7 alerts that Suricata counted were not found in its log: its disk was full, or another program changed the file; see the server log',
    ]);
  });

  test('F-06 the folder of the endpoint moved away: Suricata is restarted in a new one, and reading continues', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const limits = {lossRatioMax: 1}; // a Suricata that ends may take most of so few packets with it
    const running = await started(lab, folder, limits);
    const {spec, place} = running;
    renameSync(place, join(folder.path, 'away'));
    await lab.ask('until', {status: 'DEGRADED', endpoint: spec.endpoint}, LIMIT_MS);
    await lab.ask('until', {status: 'READY', restarts: 1, endpoint: spec.endpoint}, LIMIT_MS);
    await readsOn(running, 10, 54);
    expect(alertsIn(running.eve)).toBe(20);
  });

  test('F-06 a backup put in the place of the folder: nothing of it is read twice, and nothing of the old one is missing', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const running = await started(lab, folder, {lossRatioMax: 1});
    const {spec, place} = running;
    const isCopied = (path: string): boolean => !/\.(fifo|socket)$/.test(path);
    cpSync(place, `${place}.copy`, {recursive: true, filter: isCopied});
    renameSync(place, join(folder.path, 'away'));
    renameSync(`${place}.copy`, place);
    await lab.send(spec, distinctHits(20, 57)); // into the old one, until it is noticed
    await lab.ask('until', {status: 'READY', restarts: 1, endpoint: spec.endpoint}, LIMIT_MS);
    await readsOn(running, 30, 58);
  });

  test('deleted in the moment of a rotation: every alert is counted once', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const running = await started(lab, folder, {eveRotateBytes: 20_000, watchMs: 20});
    const {spec, place, eve} = running;
    const load = lab.send(spec, distinctHits(1500, 55), 1000);
    for (let turn = 1; turn <= 5; turn++) {
      await lab.ask('until', {seen: 10 + turn * 250, endpoint: spec.endpoint}, LIMIT_MS);
      rmSync(turn % 2 === 0 ? eve : join(place, readdirSync(place).find(name => /^eve\.\d/.test(name)) ?? 'none'), {
        force: true,
      });
    }
    await load;
    await lab.ask('until', {seen: 1510, endpoint: spec.endpoint}, LIMIT_MS);
    await readsOn(running, 1510, 60);
  });

  test('F-06 cut while no server was there: the next one says that what is missing cannot be counted, and reads on', async () => {
    using folder = new LabFolder();
    let spec: SensorSpec | undefined;
    {
      await using first = new Lab();
      spec = (await started(first, folder)).spec;
    }
    const eve = join(placeOf(folder), 'eve.json');
    truncateSync(eve, 200);
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    await lab.ask('start', spec);
    await lab.ask('until', {reason: '^the event file was truncated', endpoint: spec.endpoint}, LIMIT_MS);
    await readsOn({lab, spec, place: placeOf(folder), eve}, 10, 56);
  });
});
