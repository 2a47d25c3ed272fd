// SPDX-License-Identifier: Apache-2.0
/** Syslog messages as RFC 5424 has them. */
import type {ThreatRecord} from '@palisade/ids-wire';
import {expect, test} from 'vitest';
import {threatRecord} from '../../testing/threat-record.ts';
import type {ExportItem} from '../exporter.ts';
import {palisadeShape} from '../shapes/palisade.ts';
import {FACILITIES, type MessageOptions, messageOf} from './message.ts';

const ENDPOINT = 'projects/p/locations/local/endpoints/web';
const OPTIONS: MessageOptions = {
  facility: 16,
  enterprise: '32473',
  bytesMax: 8_192,
  observer: {hostname: 'ids-1.example', version: '0.1.0', pid: 77},
  toShape: palisadeShape,
};
const item = (given: Partial<ThreatRecord> = {}, id = '644a1b2c3d4e5-3f2a9c11-00004932'): ExportItem => ({
  kind: 'threats',
  endpoint: ENDPOINT,
  id,
  event: undefined,
  record: threatRecord({
    threat_id: '1:1',
    name: 'n',
    alert_severity: 'HIGH',
    alert_time: '2026-01-01T00:00:01Z',
    source_port: '4',
    endpoint: ENDPOINT,
    event_time: '2026-01-01T00:00:01.000123Z',
    ...given,
  }),
});

test('44-5 a message has priority, time of the event, host, program, process, kind, ids and the record as JSON', () => {
  const text = messageOf(item(), OPTIONS).bytes.toString();
  const head =
    '<131>1 2026-01-01T00:00:01.000123Z ids-1.example palisade 77 threat ' +
    `[palisade@32473 id="644a1b2c3d4e5-3f2a9c11-00004932" kind="threats" endpoint="${ENDPOINT}"] `;
  expect(text.slice(0, head.length)).toBe(head);
  expect(JSON.parse(text.slice(head.length))).toEqual(palisadeShape(item()));
});

test.each([
  ['CRITICAL', 2],
  ['HIGH', 3],
  ['MEDIUM', 4],
  ['LOW', 5],
  ['INFORMATIONAL', 6],
] as const)('44-5 a threat of severity %s is a message of severity %i', (severity, code) => {
  for (const facility of Object.values(FACILITIES)) {
    const text = messageOf(item({alert_severity: severity}), {...OPTIONS, facility}).bytes.toString();
    expect(text).toMatch(new RegExp(`^<${facility * 8 + code}>1 `));
  }
});

test('44-5 a traffic record is a message of severity info', () => {
  const traffic: ExportItem = {...item(), kind: 'traffic'};
  expect(messageOf(traffic, OPTIONS).bytes.toString()).toMatch(/^<134>1 \S+ \S+ palisade 77 traffic \[/);
});

test('44-5 text from packets can end neither a message, a field of the head nor the JSON', () => {
  const hostile = 'a"]\\ \n<34>1 \u00e9\u2028\ud83d\ude00\u007f';
  const {bytes} = messageOf({...item({name: hostile, details: hostile}), endpoint: `${ENDPOINT}"]\\`}, OPTIONS);
  const text = bytes.toString('latin1');
  expect(text).toMatch(/^[ -~]*$/);
  expect(text).toContain(`endpoint="${ENDPOINT}\\"\\]\\\\"] {`);
  expect(JSON.parse(text.slice(text.indexOf('] {') + 2))).toMatchObject({name: hostile, details: hostile});
});

test('44-5 a message that is too long loses its longest fields, stays JSON, says so and is counted', () => {
  const long = item({details: 'd'.repeat(5_000), uri_or_filename: 'u'.repeat(1_000)});
  expect(messageOf(long, OPTIONS).truncated).toBe(false);
  const {bytes, truncated} = messageOf(long, {...OPTIONS, bytesMax: 2_048});
  expect(truncated).toBe(true);
  expect(bytes.length).toBeLessThanOrEqual(2_048);
  const text = bytes.toString();
  const document = JSON.parse(text.slice(text.indexOf('] {') + 2));
  expect(document).toMatchObject({id: long.id, truncated: true, uri_or_filename: 'u'.repeat(1_000)});
  expect(document).not.toHaveProperty('details');
  const least = messageOf(long, {...OPTIONS, bytesMax: 480});
  expect(least.bytes.length).toBeLessThanOrEqual(480);
  expect(least.bytes.toString()).toContain(long.id);
});
