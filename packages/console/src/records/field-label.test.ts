// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {fieldLabel} from './field-label.ts';

test.each([
  ['pkts_toserver', 'Packets to server'],
  ['bytes_toclient', 'Bytes to client'],
  ['http_method', 'Method'],
  ['url', 'URL'],
  ['request_headers.User-Agent', 'Request headers: User-Agent'],
  ['queries.0.rrname', 'Query: name'],
  ['queries.1.rrname', 'Query 2: name'],
  ['answers.2.ttl', 'Answer 3: TTL'],
  ['subject', 'Subject'],
  ['ja3.hash', 'JA3: hash'],
  ['ja3s.hash', 'JA3S: hash'],
  ['client.software_version', 'Client: software version'],
  ['0.filename', '1: file name'],
])('49-3 the field %s reads "%s"', (path, label) => {
  expect(fieldLabel(path)).toBe(label);
});
