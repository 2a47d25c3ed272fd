// SPDX-License-Identifier: Apache-2.0
/** Bodies of the IDS API without a message of Google's, and values that the server keeps and reads again. */
import {Buffer} from 'node:buffer';
import {parseQuery} from '../../../packages/ids/src/http/query.ts';
import {RpcError} from '../../../packages/ids/src/rpc-error.ts';
import {parseBatch, parseDecision} from '../../../packages/ids/src/triage/decision-request.ts';
import {decodeMarks, encodeMarks} from '../../../packages/server/src/history/revision-marks.ts';
import {claim, target} from '../frame/target.ts';

export const ownValueTargets = [
  target({
    name: 'ids-decision',
    form: 'json',
    refusals: [SyntaxError, RpcError],
    seeds: [
      '{"comment":"looked at\\r\\nit"}',
      '{"filter":"alert_severity<=LOW","since":"2026-01-02T03:04:05Z","until":"2026-01-03T00:00:00Z","comment":"c","validateOnly":true}',
      '{"filter":"*"}',
      '{"comment":"\\u202e\\ud800"}',
    ],
    words: ['"filter":', '"comment":', '"since":', '"*"', '\\u0007'],
    decode: input => {
      const body: unknown = JSON.parse(input.toString());
      const isBatch = typeof body === 'object' && body !== null && 'filter' in body;
      return isBatch ? parseBatch(body, 'comment') : parseDecision(body, 'comment');
    },
  }),
  target({
    name: 'ids-query',
    form: 'text',
    refusals: [RpcError],
    seeds: [
      'pageSize=5&page_token=x&$alt=json;enum-encoding=int&prettyPrint=true&fields=endpoints(name)',
      'filter=a%3Db&$.xgafv=2&callback=x&nope=1',
      'fields=a(b',
    ],
    words: ['&', '=', '%', '%ff', '$', '$.', 'fields=', 'page_size=', '(', ')', '+'],
    decode: input => {
      const query = parseQuery(input.toString('latin1'), ['pageSize', 'pageToken', 'filter', 'orderBy']);
      return {...query, get: ['pageSize', 'filter'].map(name => query.get(name))};
    },
  }),
  target({
    name: 'revision-marks',
    form: 'json',
    seeds: [
      '{"ranMs":50,"timeMs":1767225600000,"marks":[["1",0],["18446744073709551615",40]]}',
      '{"ranMs":0,"timeMs":-1,"marks":[]}',
      '{"ranMs":1,"timeMs":1,"marks":[["0x10",1],["",1]]}',
    ],
    decode: input => {
      const kept = decodeMarks(input);
      if (kept === undefined) return undefined;
      const {marks, ranMs, timeMs} = kept;
      for (const {revision} of marks) claim(revision >= 0n, `the revision ${revision}`);
      const plain = (ms: number): number => ms + 0; // JSON has no negative zero
      return {
        ...{ranMs: plain(ranMs), timeMs: plain(timeMs)},
        marks: marks.map(mark => ({revision: mark.revision, ranMs: plain(mark.ranMs)})),
      };
    },
    encode: kept => kept && Buffer.from(encodeMarks(kept)),
  }),
];
