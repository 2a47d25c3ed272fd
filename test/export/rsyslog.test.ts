// SPDX-License-Identifier: Apache-2.0
/** The syslog exporters before rsyslog of the distribution: every id is in its file, as it parsed it. */
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {dedupId} from '../../packages/ids/src/export/exporter.ts';
import {makeCertificates} from '../ids/export/test-certificates.ts';
import {ENDPOINT, threatItem, trafficItem} from './support/items.ts';
import {openExporter, settingsOf} from './support/open-exporter.ts';
import {type SyslogMessage, startRsyslog, whyNoDriver, whyNoRsyslog} from './support/rsyslog.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'rsyslog-'));
});
afterEach(() => rmSync(dir, {recursive: true}));

const never = new AbortController().signal;
const items = Array.from({length: 2_000}, (_, n) => (n % 4 === 0 ? trafficItem(n) : threatItem(n)));
const idOf = ({'structured-data': data}: SyslogMessage): string => {
  const field = (name: string): string => new RegExp(` ${name}="([^"]*)"`).exec(data)?.[1] ?? '';
  return `${field('endpoint')}/${field('kind')}/${field('id')}`;
};

describe.skipIf(whyNoRsyslog !== '')(`rsyslog${whyNoRsyslog}`, () => {
  test('44-5 over UDP it has every record of batches that its buffer holds', async () => {
    await using rsyslog = await startRsyslog(dir, {transport: 'udp'});
    const exporter = await openExporter(settingsOf(`syslog+udp://127.0.0.1:${rsyslog.port}`));
    for (let from = 0; from < items.length; from += 500) await exporter.send(items.slice(from, from + 500), never);
    await exporter.close();
    await expect.poll(() => rsyslog.messages().length).toBe(items.length);
    expect(rsyslog.messages().map(idOf).toSorted()).toEqual(items.map(dedupId).toSorted());
  });

  test('44-5 over TCP it has every record, also after it was away, and reads the fields', async () => {
    await using first = await startRsyslog(dir, {transport: 'tcp'});
    const {port} = first;
    const exporter = await openExporter(settingsOf(`syslog+tcp://127.0.0.1:${port}`));
    await exporter.send(items.slice(0, 500), never);
    await exporter.send(items.slice(500, 1_000), never);
    await first.stop();
    await expect(exporter.send(items.slice(1_000, 1_500), never)).rejects.toThrow('ECONNREFUSED');
    await using second = await startRsyslog(dir, {transport: 'tcp'}, port);
    await exporter.send(items.slice(1_000, 1_500), never);
    await exporter.send(items.slice(1_500), never);
    await exporter.close();
    await second.stop();
    const messages = second.messages();
    expect(messages.map(idOf).toSorted()).toEqual(items.map(dedupId).toSorted());
    const [, item] = items;
    const message = messages.find(each => item !== undefined && idOf(each) === dedupId(item));
    expect(message).toMatchObject({
      pri: '131',
      timereported: item?.record.event_time,
      hostname: 'ids-1',
      'app-name': 'palisade',
      procid: '1',
      msgid: 'threat',
      'structured-data': expect.stringContaining(`endpoint="${ENDPOINT}"`),
    });
    expect(JSON.parse(message?.msg ?? '')).toEqual({kind: 'threats', id: item?.id, ...item?.record});
  });
});

describe.each(['gtls', 'ossl'] as const)('TLS of rsyslog', driver => {
  const whyNot = whyNoDriver(driver);
  test.skipIf(whyNot !== '')(
    `44-5 by ${driver}: it has every record; a receiver of another authority gets none${whyNot}`,
    async () => {
      const {ca, server} = await makeCertificates('logs.example');
      await using rsyslog = await startRsyslog(dir, {transport: 'tls', driver, ca, ...server});
      const url = `syslog+tls://127.0.0.1:${rsyslog.port}`;
      const settings = settingsOf(url, {options: {serverName: 'logs.example'}});
      const exporter = await openExporter(settings, {ca});
      for (let from = 0; from < items.length; from += 500) await exporter.send(items.slice(from, from + 500), never);
      await exporter.close();
      const stranger = await openExporter(settings, {ca: (await makeCertificates('logs.example')).ca});
      await expect(stranger.send([threatItem(9_999)], never)).rejects.toThrow();
      await stranger.close();
      await rsyslog.stop();
      expect(rsyslog.messages().map(idOf).toSorted()).toEqual(items.map(dedupId).toSorted());
    },
  );
});
