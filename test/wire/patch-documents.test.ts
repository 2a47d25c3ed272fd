// SPDX-License-Identifier: Apache-2.0
/** What patches make of an object that is none, and what is told first. */
import {afterAll, beforeAll, expect, test} from 'vitest';
import {
  ENDPOINTS,
  endpoints,
  freshName,
  JSON_PATCH,
  MERGE,
  STRATEGIC,
  startWire,
  subset,
  type Wire,
} from './support.ts';

let wire: Wire;
beforeAll(async () => {
  wire = await startWire({compat: 'kubernetes'});
});
afterAll(() => wire[Symbol.asyncDispose]());

const create = async (): Promise<string> => {
  const name = freshName();
  await wire.send('POST', ENDPOINTS, {body: endpoints(name, [subset()], {labels: {x: 'y'}})});
  return name;
};
const patch = (name: string, type: string, body: unknown, query: Record<string, string> = {}) =>
  wire.send('PATCH', `${ENDPOINTS}/${name}`, {body, query, headers: {'content-type': type}});

test.each([[JSON_PATCH], [MERGE], [STRATEGIC]])(
  'E-253 %s: a missing object is told before a broken patch',
  async type => {
    expect((await patch('none', type, '{')).status).toBe(404);
  },
);

test.each([
  [JSON_PATCH, 'Warn', 'error decoding patch: unexpected end of JSON input'],
  [JSON_PATCH, 'Ignore', 'unexpected end of JSON input'],
  [MERGE, 'Strict', 'error decoding patch: unexpected end of JSON input'],
  [MERGE, 'Ignore', 'Invalid JSON Patch'],
  [STRATEGIC, 'Warn', 'unexpected end of JSON input'],
  [STRATEGIC, 'Ignore', 'unexpected end of JSON input'],
])('E-253 a broken %s under fieldValidation=%s', async (type, fieldValidation, message) => {
  const {status, body} = await patch(await create(), type, '{', {fieldValidation});
  expect([status, body.message]).toEqual([400, message]);
});

test.each<[string, object, string]>([
  ['a number as text', {metadata: {labels: {n: 1}}}, 'cannot convert int64 to string'],
  ['a flag as text', {metadata: {labels: {n: true}}}, 'unrecognized type: string'],
  ['a text as a list', {subsets: 'x'}, 'cannot restore slice from string'],
  ['a text as metadata', {metadata: 'x'}, 'cannot restore struct from: string'],
  ['a number as kind', {kind: 1}, 'cannot convert int64 to string'],
])('E-252 strategic merge: %s', async (_, sent, why) => {
  const {status, body} = await patch(await create(), STRATEGIC, sent);
  expect([status, body.message.endsWith(`": ${why}`)], body.message).toEqual([422, true]);
});

test.each([
  [
    JSON_PATCH,
    'error decoding patch: json: cannot unmarshal number 1E400 into Go struct field jsonPatchOp.value of type float64',
  ],
  [MERGE, 'error decoding patch: json: cannot unmarshal number 1E400 into Go value of type float64'],
  [STRATEGIC, 'json: cannot unmarshal number 1E400 into Go value of type float64'],
])('a number beyond any float in a %s', async (type, message) => {
  const sent = type === JSON_PATCH ? '[{"op":"test","path":"/x","value":[{"a":1,"a":1E400}]}]' : '{"x":[{"a":1E400}]}';
  const {status, body} = await patch(await create(), type, sent);
  expect([status, body.message]).toEqual([400, message]);
});

test('faults of operations are told in the order of the text', async () => {
  const value = '{"a":"1","a":"2"}';
  const sent = `[{"op":"test","zz":1,"op":"add","path":"/metadata/labels","value":${value},"zz":{"b":1,"b":2}}]`;
  const {warnings} = await patch(await create(), JSON_PATCH, sent, {fieldValidation: 'Warn'});
  expect(warnings.slice(1)).toEqual([
    'json patch unknown field "[0].zz"',
    'json patch duplicate field "[0].op"',
    'json patch duplicate field "[0].value.a"',
    'duplicate field "metadata.labels.a"',
  ]);
});

test('a value of the wrong type in an operation is told also where another replaces it', async () => {
  const sent = '[{"op":1,"op":"test","path":[],"path":"/kind","value":"Endpoints"}]';
  const name = await create();
  const {status, body} = await patch(name, JSON_PATCH, sent);
  expect([status, body.message]).toEqual([
    400,
    'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
  ]);
  expect((await patch(name, JSON_PATCH, sent, {fieldValidation: 'Ignore'})).status).toBe(200);
});

test('such a number within fieldsV1 is not looked at where the patch is not checked', async () => {
  const entry =
    '{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":1E400}}';
  const sent = `{"metadata":{"managedFields":[${entry}]}}`;
  expect((await patch(await create(), MERGE, sent, {fieldValidation: 'Ignore'})).status).toBe(200);
});

test.each([[MERGE], [STRATEGIC]])('keys twice in a %s are quoted, and not more than a hundred told', async type => {
  const name = await create();
  const twice = (key: string): string => `${JSON.stringify(key)}:null,${JSON.stringify(key)}:null`;
  const {warnings} = await patch(name, type, `{${twice('a"\n')}}`);
  expect(warnings[1]).toBe(String.raw`duplicate field "a\"\n"`);
  const many = Array.from({length: 101}, (_, i) => twice(`k${i}`)).join(',');
  expect((await patch(name, type, `{${many}}`)).warnings).toHaveLength(101);
});

test('a strategic merge patch that is such a number is no object first', async () => {
  const {body} = await patch(await create(), STRATEGIC, '1E400');
  expect(body.message).toBe('json: cannot unmarshal number into Go value of type map[string]interface {}');
});

test('strategic merge: a list of maps without a merge key has no order, even when it is emptied', async () => {
  const {status, body} = await patch(await create(), STRATEGIC, {subsets: [], '$setElementOrder/subsets': []});
  expect([status, body.message]).toEqual([
    500,
    'map: map[addresses:[map[ip:10.0.0.1]] ports:[map[port:80 protocol:TCP]]] does not contain declared merge key: ',
  ]);
});

test('strategic merge leaves kind and apiVersion alone', async () => {
  const {status, body} = await patch(await create(), STRATEGIC, {kind: 'Pod', apiVersion: null});
  expect([status, body.kind, body.apiVersion]).toEqual([200, 'Endpoints', 'v1']);
});

test('a document without a kind is of the kind of the path, one without a version is of none', async () => {
  const name = await create();
  expect((await patch(name, JSON_PATCH, [{op: 'remove', path: '/kind'}])).status).toBe(200);
  expect((await patch(name, MERGE, {kind: null})).status).toBe(200);
  const none = await patch(name, MERGE, {apiVersion: null});
  expect([none.status, none.body.message]).toEqual([
    400,
    `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
  ]);
  const strict = await patch(name, MERGE, {apiVersion: null}, {fieldValidation: 'Strict'});
  expect(strict.status).toBe(422);
  expect(strict.body.message).toContain('strict decoding error: unknown field "metadata", unknown field "subsets"');
});

test('another kind without a version is looked for among the internal ones', async () => {
  const name = await create();
  const why = async (kind: string): Promise<string> =>
    (await patch(name, MERGE, {kind, apiVersion: null})).body.message.split('": ').at(-1);
  expect(await why('Namespace')).toBe('converting (core.Namespace) to (core.Endpoints): unknown conversion');
  expect(await why('Foo')).toBe(
    'no kind "Foo" is registered for the internal version of group "" in scheme "pkg/runtime/scheme.go:111"',
  );
});

test('a kind that is no text is told as such', async () => {
  const {status, body} = await patch(await create(), MERGE, {kind: 1});
  expect(status).toBe(422);
  expect(body.message).toMatch(
    /": couldn't get version\/kind; json parse error: json: cannot unmarshal number into Go struct field \.kind of type string$/,
  );
});

test.each<[unknown, string]>([
  [1, '%!s(int64=1)'],
  [null, '%!s(<nil>)'],
  [true, '%!s(bool=true)'],
  [{a: 1.5}, 'map[a:%!s(float64=1.5)]'],
])('the directive $patch: %j is printed as upstream does', async (directive, printed) => {
  const {status, body} = await patch(await create(), STRATEGIC, {$patch: directive});
  expect([status, body.message.startsWith(`unknown patch type: ${printed} in map: `)], body.message).toEqual([
    500,
    true,
  ]);
});

test('owners that repeat: a patch is told another moment than a PUT', async () => {
  const owner = {apiVersion: 'example.com/v1', kind: 'Nope', name: 'o', uid: 'u'};
  const name = await create();
  const patched = await patch(name, MERGE, {metadata: {ownerReferences: [owner, owner]}});
  expect(patched.warnings[1]).toMatch(
    /^\.metadata\.ownerReferences contains duplicate entries after mutating admission happens; /,
  );
  const put = await wire.send('PUT', `${ENDPOINTS}/${name}`, {
    body: endpoints(name, [], {ownerReferences: [owner, owner]}),
  });
  expect(put.warnings[1]).toMatch(/^\.metadata\.ownerReferences contains duplicate entries; /);
});

test('owners that repeat: they go when a patch has come to own them, and before a PUT does', async () => {
  const owner = {apiVersion: 'example.com/v1', kind: 'Nope', name: 'o', uid: 'u'};
  const name = freshName();
  const body = endpoints(name, [], {ownerReferences: [owner]});
  await wire.send('POST', ENDPOINTS, {body, query: {fieldManager: 'm1'}});
  const twice = {metadata: {name, ownerReferences: [owner, owner]}};
  const put = await wire.send('PUT', `${ENDPOINTS}/${name}`, {body: twice, query: {fieldManager: 'm2'}});
  const patched = await wire.send('PATCH', `${ENDPOINTS}/${name}`, {
    body: twice,
    query: {fieldManager: 'm3'},
    headers: {'content-type': MERGE},
  });
  expect([put, patched].map(({body: {metadata}}) => metadata.ownerReferences)).toEqual([[owner], [owner]]);
  expect([put, patched].map(({body: {metadata}}) => metadata.managedFields.at(-1).manager)).toEqual(['m1', 'm3']);
});

test('E-252 an update checks the generated name by the rule of the kind', async () => {
  const {status, body} = await patch(await create(), MERGE, {metadata: {generateName: 'BAD_'}});
  expect([status, body.details.causes.map((cause: {field: string}) => cause.field)]).toEqual([
    422,
    ['metadata.generateName'],
  ]);
});

test.each([
  [JSON_PATCH, '[{"op":"replace","path":"/subsets/0/ports/0/port","value":80.0}]', '80.0'],
  [JSON_PATCH, '[{"op":"replace","path":"/subsets/0/ports/0/port","value":1e2}]', '1e2'],
  [MERGE, '{"subsets":[{"addresses":[{"ip":"10.0.0.1"}],"ports":[{"port":80.0}]}]}', '80.0'],
])('%s passes numbers on as they are spelled: %s', async (type, body, spelled) => {
  const {status, body: answer} = await patch(await create(), type, body);
  expect(status).toBe(422);
  expect(answer.message).toContain(`\\"port\\":${spelled}`);
  expect(answer.message).toMatch(
    new RegExp(
      `: json: cannot unmarshal number ${spelled} into Go struct field EndpointPort.subsets.ports.port of type int32$`,
    ),
  );
});

test('the test of a JSON patch compares numbers as they are spelled', async () => {
  const name = await create();
  const run = (value: string) =>
    patch(name, JSON_PATCH, `[{"op":"test","path":"/subsets/0/ports/0/port","value":${value}}]`);
  expect((await run('80')).status).toBe(200);
  expect((await run('80.0')).status).toBe(422);
  expect((await run('8e1')).status).toBe(422);
});

test('a fraction as text is quoted as it was written', async () => {
  const {body} = await patch(await create(), MERGE, '{"metadata":{"labels":{"n":1.50}}}');
  expect(body.message).toContain('\\"n\\":1.50,');
});

test('an unknown field that strategic merge met is named as it is', async () => {
  const {warnings} = await patch(await create(), STRATEGIC, {metadata: {'a"b': 1, b: 2}});
  expect(warnings.slice(1)).toEqual(['unknown field "metadata.a"b"', 'unknown field "metadata.b"']);
});

test('texts too are passed on, and compared, as they are spelled', async () => {
  const name = await create();
  const label = (value: string) => `{"metadata":{"labels":{"é":${value}}}}`;
  const {body} = await patch(name, MERGE, `{"metadata":{"labels":{"x":${String.raw`"v\u00e9"`}}},"bogus":1}`, {
    fieldValidation: 'Strict',
  });
  expect(body.message).toContain(String.raw`\"x\":\"v\\u00e9\"`);
  expect((await patch(name, MERGE, `{"metadata":{"annotations":{"x":"é<"}}}`)).status).toBe(200);
  const run = (value: string) =>
    patch(name, JSON_PATCH, `[{"op":"test","path":"/metadata/annotations/x","value":${value}}]`);
  expect((await run(String.raw`"é\u003c"`)).status).toBe(200);
  expect((await run('"é<"')).status).toBe(422);
  expect(
    (await patch(name, JSON_PATCH, `[{"op":"replace","path":"/metadata/annotations/x","value":"é"}]`)).status,
  ).toBe(200);
  expect((await run('"é"')).status).toBe(200);
  expect((await run(String.raw`"\u00e9"`)).status).toBe(422);
  expect((await patch(name, MERGE, label('"x"'))).body.message).toContain('"é"');
});

test('a JSON patch passes equal keys of a value on, until an operation enters it', async () => {
  const name = await create();
  const twice = '{"op":"add","path":"/metadata/labels","value":{"a":"1","a":"2"}}';
  const warned = await patch(name, JSON_PATCH, `[${twice}]`);
  expect([warned.status, warned.body.metadata.labels]).toEqual([200, {a: '2'}]);
  expect(warned.warnings.slice(1)).toEqual([
    'json patch duplicate field "[0].value.a"',
    'duplicate field "metadata.labels.a"',
  ]);
  const strict = await patch(name, JSON_PATCH, `[${twice}]`, {fieldValidation: 'Strict'});
  expect(strict.body.message).toContain(String.raw`\"labels\":{\"a\":\"1\",\"a\":\"2\"}`);
  const entered = await patch(name, JSON_PATCH, `[${twice},{"op":"add","path":"/metadata/labels/b","value":"3"}]`);
  expect(entered.body.metadata.labels).toEqual({a: '2', b: '3'});
  expect(entered.warnings.slice(1)).toEqual(['json patch duplicate field "[0].value.a"']);
});

test.each([
  ['{"subsets":[{"addresses":[{"ip":"10.0.0.1","targetRef":1e3}]}]}', 'cannot restore struct from: float64'],
  ['{"metadata":{"labels":{"x":1.0}}}', 'unrecognized type: string'],
  ['{"metadata":{"labels":{"x":1}}}', 'cannot convert int64 to string'],
])('strategic merge tells floats from integers by their spelling: %s', async (sent, why) => {
  const {status, body} = await patch(await create(), STRATEGIC, sent);
  expect([status, body.message.endsWith(`": ${why}`)], body.message).toEqual([422, true]);
});

test('strategic merge takes whole floats as integers', async () => {
  const name = await create();
  const port = (value: string) =>
    patch(name, STRATEGIC, `{"subsets":[{"addresses":[{"ip":"10.0.0.1"}],"ports":[{"port":${value}}]}]}`);
  expect((await port('8.1e1')).body.subsets[0].ports[0].port).toBe(81);
  expect((await port('1e300')).body.message).toContain('port: Invalid value: 0: ');
});
