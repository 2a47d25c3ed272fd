// SPDX-License-Identifier: Apache-2.0
/** The OTLP exporter before a real OpenTelemetry Collector, which writes what it got into a file. */
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {dedupId} from '../../packages/ids/src/export/exporter.ts';
import {startCollector, whyNoCollector} from './support/collector.ts';
import {ENDPOINT, threatItem, trafficItem} from './support/items.ts';
import {openExporter, settingsOf} from './support/open-exporter.ts';
import {uidsOf} from './support/otlp-receiver.ts';

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'otelcol-'));
});
afterAll(() => rmSync(dir, {recursive: true}));

const never = new AbortController().signal;
const exporterTo = (port: number, compression: string) =>
  openExporter(settingsOf(`otlp+http://127.0.0.1:${port}`, {options: {compression}}));

describe.skipIf(whyNoCollector !== '')(`an OpenTelemetry Collector${whyNoCollector}`, () => {
  test('44-5 has every record, as it was sent, compressed or not, also after it was away', async () => {
    const items = Array.from({length: 2_000}, (_, n) => (n % 4 === 0 ? trafficItem(n) : threatItem(n)));
    await using first = await startCollector(dir);
    for (const [from, compression] of [
      [0, 'gzip'],
      [500, 'none'],
    ] as const) {
      const exporter = await exporterTo(first.port, compression);
      await exporter.send(items.slice(from, from + 500), never);
      await exporter.close();
    }
    await first.stop();
    const exporter = await exporterTo(first.port, 'gzip');
    await expect(exporter.send(items.slice(1_000, 1_500), never)).rejects.toThrow('ECONNREFUSED');
    await using second = await startCollector(dir, first.port);
    await exporter.send(items.slice(1_000, 1_500), never);
    await exporter.send(items.slice(1_500), never);
    await exporter.close();
    await second.stop();
    const logs = second.logs();
    expect(uidsOf(logs).toSorted()).toEqual(items.map(dedupId).toSorted());
    const [, item] = items;
    const log = logs.find(({attributes}) => attributes['log.record.uid'] === dedupId(item as NonNullable<typeof item>));
    expect(log).toMatchObject({
      severityNumber: 17,
      severityText: 'HIGH',
      eventName: 'palisade.threat',
      timeUnixNano: '1795782615123457000',
      resource: {'service.name': 'palisade', 'palisade.endpoint': ENDPOINT},
      attributes: {'source.address': '192.0.2.1', 'source.port': 1025, 'security_rule.uuid': '1:2019401'},
      body: {...item?.record, kind: 'threats', id: item?.id},
    });
  });
});
