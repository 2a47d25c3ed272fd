// SPDX-License-Identifier: Apache-2.0
/** Texts of the Kubernetes API: selectors, quantities, times, addresses, and texts in URLs and headers. */
import {
  escapeValue,
  formatCidr,
  formatIp,
  goDurationFault,
  normalizeTime,
  parseCidrSloppy,
  parseFieldSelector,
  parseIpSloppy,
  parseIpStrict,
  parseLabelSelector,
  parseQuantity,
  QuantityError,
  quantityInMillis,
  TimeParseError,
  validateCidr,
  validateIp,
} from '@palisade/kube-wire';
import fc from 'fast-check';
import {Base64Error, normalizeBase64} from '../../../packages/kube-wire/src/go/base64.ts';
import {quantityText} from '../../../packages/kube-wire/src/go/quantity.ts';
import {claim, target} from '../frame/target.ts';

const sampled =
  (arbitrary: fc.Arbitrary<string>) =>
  (seed: number, count: number): readonly string[] =>
    fc.sample(arbitrary, {seed, numRuns: count});

const word = fc.constantFrom(
  'app',
  'a.b/c',
  'x-1',
  'in',
  'notin',
  'A_b',
  'kubernetes.io/name',
  '__proto__',
  '1',
  'é',
  '',
);
const space = fc.constantFrom('', '', ' ', '  ', '\t', '\n');
const requirement = fc.oneof(
  fc.tuple(word, space, fc.constantFrom('=', '==', '!=', '>', '<'), space, word).map(parts => parts.join('')),
  fc
    .tuple(word, fc.constantFrom(' in ', ' notin ', ' IN '), fc.array(word, {maxLength: 4}))
    .map(([key, operator, values]) => `${key}${operator}(${values.join(',')})`),
  fc.tuple(fc.constantFrom('', '!', '! '), word).map(parts => parts.join('')),
);
const labelSelector = fc.array(requirement, {maxLength: 5}).map(parts => parts.join(','));
const fieldSelector = fc
  .array(
    fc.tuple(
      fc.constantFrom('metadata.name', 'metadata.namespace', 'type', ''),
      fc.constantFrom('=', '==', '!='),
      fc.constantFrom('a', 'a\\,b', 'x\\=y', '\\\\', '', 'b=c'),
    ),
    {maxLength: 4},
  )
  .map(terms => terms.map(parts => parts.join('')).join(','));
const quantity = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.constantFrom('0', '1', '1.5', '.5', '1.', '100', '0001', '123456789012345678901234567890', '0.0000000001'),
    fc.constantFrom('', 'm', 'k', 'Ki', 'Ei', 'E', 'e3', 'E-3', 'n', 'u', 'e9999', 'x'),
  )
  .map(parts => parts.join(''));

const LABELS = [{}, {app: 'web', 'a.b/c': '1'}, {app: '', x: '-5'}];

export const kubeTextTargets = [
  target({
    name: 'label-selector',
    form: 'text',
    refusals: [Error],
    seeds: ['a=b,c!=d,e in (f,g),h,!i,j>1', 'x notin (a,,b)', 'in in (in)', 'a==b', 'app in ()', ' a , b '],
    words: [' in (', ' notin (', '!', '!=', '==', '>', '<', ',', '(', ')', '\0'],
    grammar: sampled(labelSelector),
    decode: input => {
      const selector = parseLabelSelector(input.toString());
      const again = parseLabelSelector(selector.toString());
      for (const labels of LABELS)
        claim(selector.matches(labels) === again.matches(labels), 'its canonical text matches other labels');
      return {text: selector.toString(), matches: LABELS.map(labels => selector.matches(labels))};
    },
    encode: ({text}) => text,
  }),
  target({
    name: 'field-selector',
    form: 'text',
    refusals: [Error],
    seeds: ['metadata.name=a,metadata.namespace!=b', 'a=b\\,c', 'a==\\=', ',,a=b,'],
    words: ['=', '==', '!=', ',', '\\', '\\,', 'metadata.name'],
    grammar: sampled(fieldSelector),
    decode: input => {
      const selector = parseFieldSelector(input.toString());
      // Terms are sorted before `==` becomes `=`, so the order of the canonical text may change once more.
      return selector.requirements.map(({field, operator, value}) => `${field}${operator}${escapeValue(value)}`).sort();
    },
    encode: terms => terms.join(','),
  }),
  target({
    name: 'quantity',
    form: 'text',
    refusals: [QuantityError],
    seeds: ['500m', '1.5Gi', '12e6', '-3', '1E', '0.000001', '9223372036854775807', '1e-9'],
    words: ['Ki', 'Ei', 'm', 'n', 'u', 'e', 'E', '-', '.', '0'],
    grammar: sampled(quantity),
    bytesMax: 4_096,
    decode: input => {
      const text = input.toString();
      return {text: quantityText(parseQuantity(text)), millis: quantityInMillis(text)};
    },
    encode: ({text}) => text,
  }),
  target({
    name: 'time',
    form: 'text',
    refusals: [TimeParseError],
    seeds: [
      '2020-01-02T03:04:05Z',
      '2020-02-29T23:59:59.123456+23:59',
      '1950-12-31T23:59:60Z',
      '0000-01-01T00:00:00-00:01',
      '10000-01-01T00:00:00Z',
    ],
    words: ['T', 'Z', '+', '-', ':', '.', ',', '99'],
    decode: input => normalizeTime(input.toString(), 'date-time'),
    encode: text => text,
  }),
  target({
    name: 'micro-time',
    form: 'text',
    refusals: [TimeParseError],
    seeds: ['2020-01-02T03:04:05.000006Z', '2020-02-29T23:59:59.1234567+23:59'],
    words: ['T', 'Z', '+', '-', ':', '.', '999999999'],
    decode: input => normalizeTime(input.toString(), 'micro-time'),
    encode: text => text,
  }),
  target({
    name: 'duration',
    form: 'text',
    seeds: ['1h30m', '-1.5s', '0', '300ms', '1us', '1µs', '9223372036s'],
    words: ['h', 'm', 's', 'ms', 'us', 'µs', 'μs', 'ns', '.', '-'],
    decode: input => goDurationFault(input.toString()),
  }),
  target({
    name: 'ip-and-cidr',
    form: 'text',
    seeds: [
      '192.0.2.1',
      '::ffff:192.0.2.1',
      '2001:db8::1',
      '10.0.0.0/8',
      '010.1.2.3',
      'fe80::1%eth0',
      '1::2::3',
      '::',
      '2001:db8::/33',
    ],
    words: ['::', ':', '.', '/', '0', 'ffff', '%', '/128'],
    decode: input => {
      const text = input.toString();
      const strict = parseIpStrict(text);
      const sloppy = parseIpSloppy(text);
      claim(strict === undefined || sloppy !== undefined, 'the strict reader accepts what the sloppy one refuses');
      const range = parseCidrSloppy(text);
      for (const {detail} of [...validateIp('a', text), ...validateCidr('a', text)])
        claim(detail !== '', 'a fault says nothing');
      return {ip: sloppy && formatIp(sloppy), range: range && formatCidr(range)};
    },
    encode: ({ip, range}) => ip ?? range,
  }),
  target({
    name: 'base64',
    form: 'text',
    refusals: [Base64Error],
    seeds: ['aGVsbG8=', 'aGVs\nbG8=', 'YQ==', 'YR==', 'a', '____'],
    words: ['=', '==', '\n', '\r', '+', '/', '-', '_'],
    decode: input => {
      const text = input.toString();
      const normal = normalizeBase64(text);
      claim(
        Buffer.from(normal, 'base64').equals(Buffer.from(text.replace(/[\r\n]/g, ''), 'base64')),
        'node reads other bytes',
      );
      return normal;
    },
    encode: text => text,
  }),
];
