// SPDX-License-Identifier: Apache-2.0
/** Receivers of OTLP logs and files that are away for ten minutes of virtual time; test/ids/export has syslog and webhooks. */
import {mkdirSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {freePort} from '../../bench/processes.ts';
import {
  ENDPOINT,
  ManualTime,
  makeStore,
  openExporter,
  passMinutes,
  passUntil,
  runnerOf,
  settingsOf,
} from '../ids/export/export-lab.ts';
import {startOtlpReceiver, uidsOf} from './support/otlp-receiver.ts';
import {whyNoProtos} from './support/published-protos.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'away-'));
});
afterEach(() => rmSync(dir, {recursive: true}));

/** `comeBack` gives the ids that the receiver has; `leave` takes away what an exporter needs to be opened. */
const awayForTenMinutes = async (
  url: string,
  comeBack: () => Promise<() => readonly string[]>,
  leave: () => void = () => undefined,
): Promise<void> => {
  const {records, write, ids} = makeStore();
  const settings = settingsOf(url);
  const time = new ManualTime();
  const exporter = await openExporter(settings);
  leave();
  const runner = runnerOf(records, exporter, settings, time);
  runner.start();
  await write(700);
  await passMinutes(time, 5);
  await write(800);
  await passMinutes(time, 5);
  expect(await runner.health()).toMatchObject({
    state: 'RETRYING',
    sent: 0,
    lagRecords: 1_500,
    lastError: expect.stringMatching(/ECONNREFUSED|ENOENT/),
  });
  const came = await comeBack();
  await passUntil(time, () => runner.counts.sent >= 1_500);
  expect(await runner.health()).toMatchObject({state: 'OK', sent: 1_500, lagRecords: 0, lastError: ''});
  await runner.stop();
  expect([...new Set(came())].sort()).toEqual((await ids()).map(id => `${ENDPOINT}/threats/${id}`));
};

test.skipIf(whyNoProtos !== '')(
  `44-5 an OTLP receiver that was away for ten minutes has every record${whyNoProtos}`,
  async () => {
    const port = await freePort();
    let receiver: AsyncDisposable | undefined;
    await awayForTenMinutes(`otlp+http://127.0.0.1:${port}`, async () => {
      const started = await startOtlpReceiver(undefined, port);
      receiver = started;
      return () => uidsOf(started.logs);
    });
    await receiver?.[Symbol.asyncDispose]();
  },
);

test('44-5 a file whose folder was away for ten minutes has every record', async () => {
  const folder = join(dir, 'logs');
  mkdirSync(folder);
  const comeBack = async () => {
    mkdirSync(folder);
    return () =>
      readFileSync(join(folder, 'eve.json'), 'utf8')
        .split('\n')
        .slice(0, -1)
        .map(line => (JSON.parse(line) as {palisade: {id: string}}).palisade.id);
  };
  await awayForTenMinutes(`eve:${join(folder, 'eve.json')}`, comeBack, () => rmSync(folder, {recursive: true}));
});
