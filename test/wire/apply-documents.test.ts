// SPDX-License-Identifier: Apache-2.0
/** What an applied configuration may be, and the words for what it may not. */
import {afterAll, beforeAll, expect, test} from 'vitest';
import {APPLY, ENDPOINTS, endpoints, freshName, startWire, type Wire} from './support.ts';

let wire: Wire;
beforeAll(async () => {
  wire = await startWire({compat: 'kubernetes'});
});
afterAll(() => wire[Symbol.asyncDispose]());

const apply = (body: unknown, name = freshName(), query: Record<string, string> = {}) =>
  wire.send('PATCH', `${ENDPOINTS}/${name}`, {
    body,
    query: {fieldManager: 'm', ...query},
    headers: {'content-type': APPLY},
  });
const NO_MAP = 'of type map[string]interface {}';
const READING = 'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal';

const CONVERTING = /^error decoding YAML: error converting YAML to JSON: yaml: line \d+: /;

test.each([
  ['nothing', '', 'invalid object type: /, Kind='],
  ['null', 'null', 'invalid object type: /, Kind='],
  ['a list', '- a', `${READING} array into Go value ${NO_MAP}`],
  ['a text', 'x', `${READING} string into Go value ${NO_MAP}`],
  ['a flag', 'true', `${READING} bool into Go value ${NO_MAP}`],
  ['an open bracket', '{', CONVERTING],
  ['a list cut off', '\n[1,\n', CONVERTING],
  ['two values in a line', 'a: b: c', CONVERTING],
  [
    'JSON that is no UTF-8',
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    'error decoding YAML: error converting YAML to JSON: yaml: invalid UTF-8',
  ],
])('E-253 apply refuses %s', async (_, body, message) => {
  const answer = await apply(body);
  expect(answer.status).toBe(400);
  if (typeof message === 'string') expect(answer.body.message).toBe(message);
  else expect(answer.body.message).toMatch(message);
});

test('what follows the closing bracket of a configuration is not looked at', async () => {
  const name = freshName();
  expect((await apply(`${JSON.stringify(endpoints(name))} x`, name)).status).toBe(201);
});

test('E-253 keys that repeat: refused, warned about or passed over', async () => {
  const twice = (name: string) =>
    `kind: Endpoints\napiVersion: v1\nmetadata:\n  name: ${name}\n  labels: {a: b, a: c}\n`;
  const run = (fieldValidation: string) => {
    const name = freshName();
    return apply(twice(name), name, {fieldValidation});
  };
  const strict = await run('Strict');
  expect([strict.status, strict.body.message]).toEqual([
    400,
    'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 5: key "a" already set in map',
  ]);
  const warned = await run('Warn');
  expect([warned.status, warned.warnings.slice(1)]).toEqual([201, ['line 5: key "a" already set in map']]);
  expect((await run('Ignore')).warnings).toHaveLength(1);
});

test('E-211 managedFields that are no list of objects are a matter of the schema', async () => {
  const of = async (managedFields: unknown) => {
    const name = freshName();
    const {status, body} = await apply(endpoints(name, [], {managedFields}), name);
    return [status, body.message.replaceAll(name, 'a')];
  };
  const schema = 'failed to create typed patch object (/a; /v1, Kind=Endpoints): .metadata.managedFields';
  expect(await of([{}])).toEqual([400, 'metadata.managedFields must be nil']);
  expect(await of('x')).toEqual([500, `${schema}: expected list, got &{x}`]);
  expect(await of([{fieldsV1: 'x', time: 1}])).toEqual([500, `${schema}[0].fieldsV1: expected map, got &{x}`]);
  expect(await of([1])).toEqual([500, `${schema}[0]: expected map, got &{1}`]);
});

test('several faults of the schema are told by key', async () => {
  const {status, body} = await apply(endpoints('a', undefined, {labels: {b: 1, a: 2}}), 'a');
  const fault = (key: string, value: number): string =>
    `\n  .metadata.labels.${key}: expected string, got &value.valueUnstructured{Value:${value}}`;
  expect([status, body.message]).toEqual([
    500,
    `failed to create typed patch object (/a; /v1, Kind=Endpoints): errors:${fault('a', 2)}${fault('b', 1)}`,
  ]);
});

test('an integer that is too large is cut, as Go converts it', async () => {
  const name = freshName();
  const {status, body} = await apply(
    endpoints(name, [{addresses: [{ip: '10.0.0.1'}], ports: [{port: 99999999999}]}]),
    name,
  );
  expect([status, body.details.causes[0].message]).toEqual([
    422,
    'Invalid value: 1215752191: must be between 1 and 65535, inclusive',
  ]);
});

test('E-220 managedFields: [null] is a reset too', async () => {
  const name = freshName();
  await apply(endpoints(name, undefined, {labels: {a: 'b'}}), name);
  const put = await wire.send('PUT', `${ENDPOINTS}/${name}`, {body: endpoints(name, [], {managedFields: [null]})});
  expect([put.status, put.body.metadata.managedFields]).toEqual([200, undefined]);
});
