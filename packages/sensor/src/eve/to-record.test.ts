// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {CONTEXT_CHARS_MAX, DETAILS_CHARS_MAX, URI_CHARS_MAX} from '../limits.ts';
import {alertLine} from '../testing/eve-lines.ts';
import {decodeEveLine} from './eve-record.ts';
import {signatureOf, toThreatRecord} from './to-record.ts';

const SPEC = {
  endpoint: 'projects/p/locations/l/endpoints/e',
  network: 'n',
  ip: '127.0.0.1',
  vni: 1,
  severity: 'INFORMATIONAL',
  threatExceptions: [],
  trafficLogs: false,
} as const;

const recordOf = (http: object) => {
  const line = decodeEveLine(JSON.stringify({...JSON.parse(alertLine({sid: 1, ms: 0})), http}));
  if (line.type !== 'alert') throw new Error(line.type);
  const signature = signatureOf(line.alert, undefined);
  return toThreatRecord(line.alert, signature, SPEC, signature.severity);
};

test('44-1 a record stays small, however long URL, host and user agent are', () => {
  const long = '💥'.repeat(17_000);
  const record = recordOf({http_method: 'GET', hostname: long, url: long, http_user_agent: long});
  expect(record.uri_or_filename.length).toBeLessThanOrEqual(URI_CHARS_MAX);
  expect(record.uri_or_filename).toMatch(/^(?:💥)+…$/u);
  expect(record.details.length).toBeLessThanOrEqual(DETAILS_CHARS_MAX);
  expect(record.details).toMatch(/^Signature .+ matched: .+ Seen in HTTP GET (?:💥)+…\. Classification: /u);
});

test('44-1 what is not too long is in the record as it is', () => {
  const url = `/${'a'.repeat(URI_CHARS_MAX - 1)}`;
  expect(recordOf({url}).uri_or_filename).toBe(url);
  const agent = 'b'.repeat(CONTEXT_CHARS_MAX / 2);
  expect(recordOf({http_method: 'GET', hostname: 'h', url: '/', http_user_agent: agent}).details).toContain(
    `Seen in HTTP GET h/, user agent "${agent}".`,
  );
});
