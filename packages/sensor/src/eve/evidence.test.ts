// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {EVIDENCE_BYTES_MAX} from '../limits.ts';
import {evidenceOf} from './evidence.ts';

const event = (more: object) => ({event_type: 'alert', src_ip: '10.0.0.1', alert: {signature_id: 1}, ...more});
const big = 'A'.repeat(EVIDENCE_BYTES_MAX);

test('44-2 an event that is short enough is kept byte for byte', () => {
  const json = '{"event_type":"alert", "payload":"eA=="}';
  expect(evidenceOf(json)).toBe(json);
  const exact = JSON.stringify(event({payload: ''}));
  const full = JSON.stringify(event({payload: 'A'.repeat(EVIDENCE_BYTES_MAX - exact.length)}));
  expect(Buffer.byteLength(full)).toBe(EVIDENCE_BYTES_MAX);
  expect(evidenceOf(full)).toBe(full);
});

test('44-2 a long event loses its packet first, and says so', () => {
  const kept = JSON.parse(evidenceOf(JSON.stringify(event({packet: big, payload: 'eA=='}))));
  expect(kept).toEqual(event({payload: 'eA==', palisade_left_out: ['packet']}));
});

test('44-2 then its payload, then its longest parts, until it fits', () => {
  const http = {url: '/a', http_response_body: big, request_headers: [{name: 'x', value: big}]};
  const kept = evidenceOf(JSON.stringify(event({packet: 'eA==', payload: big, http, files: [{filename: 'f'}]})));
  expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(EVIDENCE_BYTES_MAX);
  expect(JSON.parse(kept)).toEqual(
    event({
      http: {url: '/a'},
      files: [{filename: 'f'}],
      palisade_left_out: ['packet', 'payload', 'http.request_headers', 'http.http_response_body'],
    }),
  );
});
