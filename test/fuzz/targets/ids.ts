// SPDX-License-Identifier: Apache-2.0
/** The IDS API: filters, orders, masks, tokens of pages, messages, and the times, names and addresses in them. */
import {
  canonicalIp,
  compileFilter,
  decodeEndpointInput,
  decodePageToken,
  ENDPOINT_LIST,
  encodePageToken,
  FilterError,
  formatIdsEndpointName,
  formatMicros,
  formatTimestamp,
  ipRanges,
  lowerTimeBound,
  parseEndpointMask,
  parseFilter,
  parseIdsEndpointName,
  parseIpBlock,
  parseMicros,
  parseOperationName,
  parseOrderBy,
  parseSelection,
  parseThreatId,
  parseTimestamp,
  selectFields,
  THREAT_LIST,
} from '@palisade/ids-wire';
import fc from 'fast-check';
import {sqlOrder} from '../../../packages/ids/src/records/sqlite/read/order-sql.ts';
import {whereOf} from '../../../packages/ids/src/records/sqlite/read/where/where.ts';
import {threatRecord} from '../../../packages/ids/src/testing/threat-record.ts';
import {claim, target} from '../frame/target.ts';

const ENDPOINT = 'projects/p/locations/local/endpoints/e';
const RECORDS = [
  threatRecord({
    threat_id: '1:2019401',
    name: 'ET EXPLOIT "x"',
    alert_severity: 'HIGH',
    alert_time: '2026-01-02T03:04:05Z',
    source_port: '1',
    endpoint: ENDPOINT,
  }),
  threatRecord({
    threat_id: '1:9',
    name: '',
    alert_severity: 'LOW',
    alert_time: '2026-01-02T03:04:06Z',
    source_port: '65535',
    source_ip_address: '2001:db8::1',
    endpoint: ENDPOINT,
    cves: ['CVE-2021-44228'],
  }),
];
const SCOPE = {kind: 'threats', endpoints: new Map([[1, ENDPOINT]])} as const;

const field = fc.constantFrom(
  'threat_id',
  'threatId',
  'alert_severity',
  'source_ip_address',
  'source_port',
  'alert_time',
  'cves',
  'name',
  'endpoint',
  'acknowledged',
  'nope',
  'a.b',
  '__proto__',
  '"name"',
);
const comparator = fc.constantFrom('=', '!=', '<', '<=', '>', '>=', ':', ' = ', '==', '<>', ' in ');
const value = fc.constantFrom(
  'HIGH',
  '"1:2019401"',
  '10.0.0.0/8',
  '192.0.2.1',
  '2001:db8::/32',
  '80',
  '-1',
  '1e9',
  '"2026-01-02T03:04:05Z"',
  '2026-01-02T03:04:05Z',
  'a*',
  '*',
  '"a\\"b"',
  "'x'",
  'true',
  '(HIGH OR LOW)',
  '""',
  '(a b)',
  '99999999999999999999',
);
const filter = fc.letrec<{filter: string; term: string}>(tie => ({
  term: fc.oneof(
    {maxDepth: 4},
    fc.tuple(field, comparator, value).map(parts => parts.join('')),
    value,
    tie('filter').map(text => `(${text})`),
    fc.tuple(fc.constantFrom('NOT ', '-', 'not '), tie('term')).map(parts => parts.join('')),
  ),
  filter: fc
    .array(fc.tuple(tie('term'), fc.constantFrom(' AND ', ' OR ', ' ', ' and ')), {
      minLength: 1,
      maxLength: 3,
      depthIdentifier: 'f',
    })
    .map(terms => terms.flat().slice(0, -1).join('')),
})).filter;

const position = {at: 5, key: ['a', null, 1]};
const QUERY = ['projects/p', 'filter', ''];

export const idsTargets = [
  target({
    name: 'ids-filter',
    form: 'text',
    refusals: [FilterError],
    seeds: [
      'alert_severity = HIGH AND source_ip_address = 10.0.0.0/8',
      'threat_id:(1:1 OR 1:2) NOT name = "a*b"',
      'alert_time >= "2026-01-02T03:04:05Z" -cves:CVE-2021-44228',
      '((a))',
      'a b c',
      '"unclosed',
    ],
    words: [
      'AND',
      'OR',
      'NOT ',
      '-',
      '(',
      ')',
      '"',
      "'",
      '\\',
      '*',
      ':',
      '<=',
      '!=',
      '.',
      'alert_time',
      'source_ip_address',
      ' in ',
      'endpoint=',
    ],
    grammar: (seed, count) => fc.sample(filter, {seed, numRuns: count}),
    decode: input => {
      const text = input.toString();
      const matches = compileFilter(text, THREAT_LIST);
      const judged = RECORDS.map(record => matches(record));
      const conditions = RECORDS.map(({alert_severity: recordClass}, i) => {
        const condition = whereOf(parseFilter(text), {...SCOPE, recordClass});
        const {sql, exact} = condition;
        claim(sql !== '0' || judged[i] !== true, 'the condition leaves out a record that matches');
        claim(
          sql !== '1' || !exact || judged[i] === true,
          'an exact condition lets a record through that does not match',
        );
        return condition;
      });
      return {judged, conditions, bound: lowerTimeBound(text, ['alert_time'])};
    },
  }),
  target({
    name: 'ids-order-by',
    form: 'text',
    refusals: [FilterError],
    seeds: [
      'alert_time desc, name',
      'alertSeverity',
      'labels.a desc',
      ',',
      'name asc asc',
      'source_ip_address,source_port desc',
    ],
    words: [',', ' desc', ' asc', 'name', 'labels.', '.', '`'],
    decode: input => {
      const text = input.toString();
      const order = parseOrderBy(text, THREAT_LIST);
      const keys = RECORDS.map(record => order.keyOf(record));
      const [a = [], b = []] = keys;
      claim(
        order.compare(a, b) === -order.compare(b, a) || order.compare(a, b) + order.compare(b, a) === 0,
        'the order is no order',
      );
      return {keys, sql: sqlOrder(text, undefined)};
    },
  }),
  target({
    name: 'ids-field-mask',
    form: 'text',
    seeds: ['severity,description,labels', '*', 'labels.a', 'threat_exceptions, trafficLogs', ' , '],
    words: [',', '.', '*', 'labels', 'create_time', 'threatExceptions'],
    decode: input => parseEndpointMask(input.toString()),
  }),
  target({
    name: 'ids-selection',
    form: 'text',
    seeds: ['endpoints(name,severity),nextPageToken', 'a/b/c', '*', 'a(b(c(d)))', 'a.b,a.c', '__proto__(x)'],
    words: ['(', ')', ',', '/', '.', '*', 'a', '__proto__'],
    decode: input => {
      const selection = parseSelection(input.toString());
      return (
        selection && selectFields({name: 'n', endpoints: [{name: 'e', severity: 'LOW', labels: {a: 'b'}}]}, selection)
      );
    },
  }),
  target({
    name: 'ids-page-token',
    form: 'text',
    seeds: [encodePageToken(QUERY, position), encodePageToken([], null), 'MS4', ''],
    words: ['=', '-', '_', 'MS4'],
    decode: input => decodePageToken(QUERY, input.toString()),
    encode: decoded => (decoded === undefined ? undefined : encodePageToken(QUERY, decoded)),
  }),
  target({
    name: 'ids-endpoint',
    form: 'json',
    refusals: [SyntaxError],
    seeds: [
      '{"network":"projects/p/global/networks/n","severity":"HIGH","description":"d","labels":{"a":"b"},"trafficLogs":true,"threatExceptions":["1:2"]}',
      '{"traffic_logs":"x","labels":[1],"name":null,"severity":9}',
      '[]',
      'null',
      '{"labels":{"__proto__":"x"},"__proto__":{"severity":"LOW"}}',
    ],
    decode: input => {
      const {input: decoded, violations} = decodeEndpointInput(JSON.parse(input.toString()));
      claim(
        violations.every(({description}) => description !== ''),
        'a violation says nothing',
      );
      return {decoded, violations};
    },
    encode: ({decoded, violations}) => (violations.length === 0 ? JSON.stringify(decoded) : undefined),
  }),
  target({
    name: 'ids-time',
    form: 'text',
    seeds: [
      '2026-01-02T03:04:05Z',
      '2026-01-02T03:04:05.123456789+23:59',
      '0001-01-01T00:00:00Z',
      '9999-12-31T23:59:59Z',
      '2026-02-30T00:00:00Z',
    ],
    words: ['T', 'Z', '+', '-', ':', '.', '99', 't'],
    decode: input => {
      const text = input.toString();
      const [ms, micros] = [parseTimestamp(text), parseMicros(text)];
      claim((ms === undefined) === (micros === undefined), 'one reader accepts what the other refuses');
      return {ms: ms && formatTimestamp(ms), micros: micros === undefined ? undefined : formatMicros(micros)};
    },
    encode: ({micros}) => micros,
  }),
  target({
    name: 'ids-names',
    form: 'text',
    seeds: [
      'projects/p/locations/local/endpoints/e',
      'projects/p/locations/local/operations/o-1',
      '1:2019401',
      'projects//locations/x/endpoints/-',
    ],
    words: ['/', 'projects/', 'locations/', 'endpoints/', '-', '%2f', ':'],
    decode: input => {
      const text = input.toString();
      const name = parseIdsEndpointName(text);
      return {name, operation: parseOperationName(text), threat: parseThreatId(text)};
    },
    encode: ({name}) => name && formatIdsEndpointName(name),
  }),
  target({
    name: 'ids-address',
    form: 'text',
    seeds: ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1', '::ffff:1.2.3.4', '1:2', '0.0.0.0/0', '::/0'],
    words: ['/', ':', '::', '.', '0', '128', '/33'],
    decode: input => {
      const text = input.toString();
      const block = parseIpBlock(text);
      return {block, ranges: block && ipRanges(block), canonical: canonicalIp(text)};
    },
  }),
  target({
    name: 'ids-endpoint-filter',
    form: 'text',
    refusals: [FilterError],
    seeds: [
      'labels.env = prod',
      'labels:env',
      'name = "projects/p/locations/local/endpoints/e"',
      'severity > LOW',
      'create_time < "2026-01-01T00:00:00Z"',
    ],
    words: ['labels.', '"', ':', '=', '>', 'severity', 'state'],
    decode: input => {
      compileFilter(input.toString(), ENDPOINT_LIST);
      return true;
    },
  }),
];
