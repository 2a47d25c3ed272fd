// SPDX-License-Identifier: Apache-2.0
/** Patches that lead to no valid object: which fault is reported first, and in which words. As kube-apiserver 1.36.3. */
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {MemoryApi, type Reply, type Resource, sampleKind} from '../testing/index.ts';

const JSON_PATCH = 'json';
const MERGE = 'merge';
const STRATEGIC = 'strategic-merge';
const kind = sampleKind({
  ...{group: '', kind: 'Endpoints', resource: 'endpoints', internalName: 'core.Endpoints'},
  strategy: {...sampleKind().strategy, revalidation: 'changes-first'},
});
const node = sampleKind({group: '', kind: 'Node', internalName: 'core.Node'});
const SUBSETS = [{addresses: [{ip: '10.0.0.1'}], ports: [{port: 80, protocol: 'TCP'}]}];
const OWNER = {apiVersion: 'example.com/v1', kind: 'Nope', name: 'o', uid: 'u'};

let api: MemoryApi;
let own: Resource;
beforeEach(async () => {
  api = await MemoryApi.open({kinds: [kind, node], compat: 'kubernetes'});
  own = api.of(kind);
  await own.make({name: 'a', labels: {x: 'y'}}, {subsets: SUBSETS});
});
afterEach(() => api[Symbol.asyncDispose]());

const patch = (type: string, body: unknown, fieldValidation?: string): Promise<Reply> =>
  own.patch('a', type, body, fieldValidation === undefined ? {} : {fieldValidation});
const apply = (body: unknown, query: Record<string, string> = {}): Promise<Reply> =>
  own.send('patch', 'b', {body, type: 'application/apply-patch+yaml', query: {fieldManager: 'm', ...query}});
const whole = (metadata: object = {}, content: object = {}) => ({
  ...{apiVersion: 'v1', kind: 'Endpoints', metadata: {name: 'b', ...metadata}},
  ...content,
});
/** The status and why, behind the quoted document. */
const why = ({status, body}: Reply): [number, string] => [status, body.message.split('": ').at(-1)];

describe('documents that cannot be read', () => {
  test.each([JSON_PATCH, MERGE, STRATEGIC])(
    'E-253 %s: a missing object is reported before a broken patch',
    async type => {
      expect((await own.patch('none', type, '{')).status).toBe(404);
    },
  );

  test.each([
    [JSON_PATCH, 'Warn', '{', 'error decoding patch: unexpected end of JSON input'],
    [JSON_PATCH, 'Ignore', '{', 'unexpected end of JSON input'],
    [MERGE, 'Strict', '{', 'error decoding patch: unexpected end of JSON input'],
    [MERGE, 'Ignore', '{', 'Invalid JSON Patch'],
    [STRATEGIC, 'Warn', '{', 'unexpected end of JSON input'],
    [STRATEGIC, 'Ignore', '{', 'unexpected end of JSON input'],
    [STRATEGIC, 'Warn', '{"x":[{"a":1E400}]}', 'json: cannot unmarshal number 1E400 into Go value of type float64'],
    [STRATEGIC, 'Warn', '1E400', 'json: cannot unmarshal number into Go value of type map[string]interface {}'],
    [
      MERGE,
      'Warn',
      '{"x":[{"a":1E400}]}',
      'error decoding patch: json: cannot unmarshal number 1E400 into Go value of type float64',
    ],
    [
      JSON_PATCH,
      'Warn',
      '[{"op":"test","path":"/x","value":[{"a":1,"a":1E400}]}]',
      'error decoding patch: json: cannot unmarshal number 1E400 into Go struct field jsonPatchOp.value of type float64',
    ],
    [
      JSON_PATCH,
      'Warn',
      '[{"op":1,"op":"test","path":[],"path":"/kind","value":"Endpoints"}]',
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    ],
  ])('E-253 %s under fieldValidation=%s: %s', async (type, fieldValidation, sent, message) => {
    const {status, body} = await patch(type, sent, fieldValidation);
    expect([status, body.message]).toEqual([400, message]);
  });

  test.each([
    [JSON_PATCH, '[{"op":1,"op":"test","path":[],"path":"/kind","value":"Endpoints"}]'],
    [
      MERGE,
      '{"metadata":{"managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":1E400}}]}}',
    ],
  ])('%s: what is replaced or within fieldsV1 is not looked at where the patch is not checked', async (type, sent) => {
    expect((await patch(type, sent, 'Ignore')).status).toBe(200);
  });
});

describe('documents that are no object of the kind', () => {
  test.each<[string, string, unknown, string | RegExp]>([
    [STRATEGIC, 'a number as text', {metadata: {labels: {n: 1}}}, 'cannot convert int64 to string'],
    [STRATEGIC, 'a fraction as text', '{"metadata":{"labels":{"x":1.0}}}', 'unrecognized type: string'],
    [STRATEGIC, 'a flag as text', {metadata: {labels: {n: true}}}, 'unrecognized type: string'],
    [STRATEGIC, 'a text as a list', {subsets: 'x'}, 'cannot restore slice from string'],
    [STRATEGIC, 'a text as metadata', {metadata: 'x'}, 'cannot restore struct from: string'],
    [STRATEGIC, 'a number as kind', {kind: 1}, 'cannot convert int64 to string'],
    [
      STRATEGIC,
      'a float by its spelling',
      '{"subsets":[{"addresses":[{"ip":"10.0.0.1","targetRef":1e3}]}]}',
      'cannot restore struct from: float64',
    ],
    [
      MERGE,
      'another kind without a version',
      {kind: 'Node', apiVersion: null},
      'converting (core.Node) to (core.Endpoints): unknown conversion',
    ],
    [
      MERGE,
      'a kind that nobody knows',
      {kind: 'Foo', apiVersion: null},
      'no kind "Foo" is registered for the internal version of group "" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      MERGE,
      'a kind that is no text',
      {kind: 1},
      "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ],
  ])('E-252 %s: %s', async (type, _, sent, expected) => {
    expect(why(await patch(type, sent))).toEqual([422, expected]);
  });

  test.each([
    [JSON_PATCH, '[{"op":"replace","path":"/subsets/0/ports/0/port","value":80.0}]', '80.0'],
    [JSON_PATCH, '[{"op":"replace","path":"/subsets/0/ports/0/port","value":1e2}]', '1e2'],
    [MERGE, '{"subsets":[{"addresses":[{"ip":"10.0.0.1"}],"ports":[{"port":80.0}]}]}', '80.0'],
  ])('%s passes numbers on as they are spelled: %s', async (type, sent, spelled) => {
    const reply = await patch(type, sent);
    const go = 'into Go struct field EndpointPort.subsets.ports.port of type int32';
    expect(why(reply)).toEqual([422, `json: cannot unmarshal number ${spelled} ${go}`]);
    expect(reply.body.message).toContain(`\\"port\\":${spelled}`);
  });

  test('a fraction, and a text, are quoted as they were written', async () => {
    const messageOf = async (labels: string) =>
      (await patch(MERGE, `{"metadata":{"labels":${labels}},"bogus":1}`, 'Strict')).body.message;
    expect(await messageOf('{"n":1.50}')).toContain('\\"n\\":1.50');
    expect(await messageOf(String.raw`{"x":"v\u00e9"}`)).toContain(String.raw`\"x\":\"v\\u00e9\"`);
    expect(await messageOf('{"é":"x"}')).toContain('é');
  });

  test.each<[unknown, string]>([
    [1, '%!s(int64=1)'],
    [null, '%!s(<nil>)'],
    [true, '%!s(bool=true)'],
    [{a: 1.5}, 'map[a:%!s(float64=1.5)]'],
  ])('the directive $patch: %j is printed as upstream does', async (directive, printed) => {
    const {status, body} = await patch(STRATEGIC, {$patch: directive});
    expect([status, body.message]).toEqual([500, expect.stringContaining(`unknown patch type: ${printed} in map: `)]);
  });

  test('strategic merge: a list of maps without a merge key has no order, even when it is emptied', async () => {
    const {status, body} = await patch(STRATEGIC, {subsets: [], '$setElementOrder/subsets': []});
    expect([status, body.message]).toEqual([
      500,
      'map: map[addresses:[map[ip:10.0.0.1]] ports:[map[port:80 protocol:TCP]]] does not contain declared merge key: ',
    ]);
  });

  test('a document without a kind is of the kind of the path, one without a version is of none', async () => {
    expect((await patch(STRATEGIC, {kind: 'Pod', apiVersion: null})).status).toBe(200);
    expect((await patch(JSON_PATCH, [{op: 'remove', path: '/kind'}])).status).toBe(200);
    expect((await patch(MERGE, {kind: null})).status).toBe(200);
    expect(why(await patch(MERGE, {apiVersion: null}))).toEqual([
      400,
      'the name of the object (a based on URL) was undeterminable: name must be provided',
    ]);
    expect(why(await patch(MERGE, {apiVersion: null}, 'Strict'))).toEqual([
      422,
      'strict decoding error: unknown field "metadata", unknown field "subsets"',
    ]);
  });
});

describe('warnings', () => {
  test.each<[string, string, string, readonly string[]]>([
    [
      'faults of operations in the order of the text',
      JSON_PATCH,
      '[{"op":"test","zz":1,"op":"add","path":"/metadata/labels","value":{"a":"1","a":"2"},"zz":{"b":1,"b":2}}]',
      [
        'json patch unknown field "[0].zz"',
        'json patch duplicate field "[0].op"',
        'json patch duplicate field "[0].value.a"',
        'duplicate field "metadata.labels.a"',
      ],
    ],
    [
      'equal keys of a value until an operation enters it',
      JSON_PATCH,
      '[{"op":"add","path":"/metadata/labels","value":{"a":"1","a":"2"}},{"op":"add","path":"/metadata/labels/b","value":"3"}]',
      ['json patch duplicate field "[0].value.a"'],
    ],
    ['keys twice, quoted', MERGE, String.raw`{"a\"\n":null,"a\"\n":null}`, [String.raw`duplicate field "a\"\n"`]],
    ['keys twice, quoted', STRATEGIC, String.raw`{"a\"\n":null,"a\"\n":null}`, [String.raw`duplicate field "a\"\n"`]],
    [
      'unknown fields as they are',
      STRATEGIC,
      String.raw`{"metadata":{"a\"b":1,"b":2}}`,
      ['unknown field "metadata.a"b"', 'unknown field "metadata.b"'],
    ],
  ])('%s: %s', async (_, type, sent, warnings) => {
    expect(await patch(type, sent, 'Warn')).toMatchObject({status: 200, warnings});
  });

  test.each([MERGE, STRATEGIC])('not more than a hundred for a %s', async type => {
    const twice = Array.from({length: 101}, (_, i) => `"k${i}":null,"k${i}":null`);
    expect((await patch(type, `{${twice.join(',')}}`)).warnings).toHaveLength(100);
  });

  test('repeated owners: a patch warns of another moment than a PUT; they are removed after a patch owns them, and before a PUT does', async () => {
    await own.merge('a', {ownerReferences: [OWNER]});
    const metadata = {name: 'a', ownerReferences: [OWNER, OWNER]};
    const put = await own.put('a', {metadata}, {fieldManager: 'm2'});
    const patched = await own.patch('a', MERGE, {metadata}, {fieldManager: 'm3'});
    const texts = ['contains duplicate entries; ', 'contains duplicate entries after mutating admission happens; '];
    for (const [index, {warnings, body}] of [put, patched].entries()) {
      expect(warnings[0]).toContain(`.metadata.ownerReferences ${texts[index]}`);
      expect(body.metadata.ownerReferences).toEqual([OWNER]);
    }
    const managers = ({body}: Reply) => body.metadata.managedFields.map(({manager}: {manager: string}) => manager);
    expect([managers(put).includes('m2'), managers(patched).includes('m3')]).toEqual([false, true]);
  });
});

test.each([
  ['80', 200],
  ['80.0', 422],
  ['8e1', 422],
])('the test of a JSON patch compares numbers as they are spelled: %s', async (value, status) => {
  const sent = `[{"op":"test","path":"/subsets/0/ports/0/port","value":${value}}]`;
  expect((await patch(JSON_PATCH, sent)).status).toBe(status);
});

test('the test of a JSON patch compares texts as they are spelled, in the form of whoever wrote them', async () => {
  const run = async (value: string) =>
    (await patch(JSON_PATCH, `[{"op":"test","path":"/metadata/annotations/x","value":${value}}]`)).status;
  await patch(MERGE, '{"metadata":{"annotations":{"x":"é<"}}}');
  expect([await run(String.raw`"é\u003c"`), await run('"é<"')]).toEqual([200, 422]);
});

test('a JSON patch passes equal keys on, the last counts', async () => {
  const sent = '[{"op":"add","path":"/metadata/labels","value":{"a":"1","a":"2"}}]';
  const strict = await patch(JSON_PATCH, sent, 'Strict');
  expect(strict.body.message).toContain(String.raw`\"labels\":{\"a\":\"1\",\"a\":\"2\"}`);
  expect((await patch(JSON_PATCH, sent)).body.metadata.labels).toEqual({a: '2'});
});

test('strategic merge takes whole floats as integers', async () => {
  const port = async (value: string) =>
    (await patch(STRATEGIC, `{"subsets":[{"ports":[{"port":${value}}]}]}`)).body.subsets[0].ports[0].port ?? 0;
  expect([await port('8.1e1'), await port('1e300')]).toEqual([81, 0]);
});

test('E-252 an update checks the generated name by the rule of the kind', async () => {
  const {status, body} = await own.merge('a', {generateName: 'BAD_'});
  expect([status, body.details.causes[0].field]).toEqual([422, 'metadata.generateName']);
});

describe('apply', () => {
  const NO_MAP = 'of type map[string]interface {}';
  const READING = 'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal';
  test.each([
    ['nothing', '', 'invalid object type: /, Kind='],
    ['null', 'null', 'invalid object type: /, Kind='],
    ['a list', '- a', `${READING} array into Go value ${NO_MAP}`],
    ['a text', 'x', `${READING} string into Go value ${NO_MAP}`],
    ['a flag', 'true', `${READING} bool into Go value ${NO_MAP}`],
    ['entries of its own', JSON.stringify(whole({managedFields: [{}]})), 'metadata.managedFields must be nil'],
  ])('E-253 refuses %s', async (_, sent, message) => {
    const {status, body} = await apply(sent);
    expect([status, body.message]).toEqual([400, message]);
  });

  test.each<[string | Buffer, RegExp]>([
    ['{', /line \d+: /],
    ['\n[1,\n', /line \d+: /],
    ['a: b: c', /line \d+: /],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /invalid UTF-8$/],
  ])('E-253 refuses %j, which is no YAML', async (sent, text) => {
    const {status, body} = await apply(sent);
    expect([status, body.message]).toEqual([400, expect.stringMatching(text)]);
    expect(body.message).toMatch(/^error decoding YAML: error converting YAML to JSON: yaml: /);
  });

  test('what follows the closing bracket of a configuration is not looked at', async () => {
    expect((await apply(`${JSON.stringify(whole())} x`)).status).toBe(201);
  });

  test('E-253 keys that repeat: refused, warned about or skipped', async () => {
    const sent = 'kind: Endpoints\napiVersion: v1\nmetadata:\n  name: b\n  labels: {a: b, a: c}\n';
    const replies = [];
    for (const fieldValidation of ['Strict', 'Warn', 'Ignore'])
      replies.push(await apply(sent, {fieldValidation, dryRun: 'All'}));
    expect(replies.map(({status, warnings}) => [status, warnings.length])).toEqual([
      [400, 0],
      [201, 1],
      [201, 0],
    ]);
    expect(replies[0]?.body.message).toContain('key "a" already set in map');
    expect(replies[1]?.warnings[0]).toContain('key "a" already set in map');
  });

  test.each<[string, object, string]>([
    ['E-211 managedFields that are no list', {managedFields: 'x'}, ' .metadata.managedFields: expected list, got &{x}'],
    ['E-211 an entry that is no map', {managedFields: [1]}, ' .metadata.managedFields[0]: expected map, got &{1}'],
    [
      'E-211 fields that are no map',
      {managedFields: [{fieldsV1: 'x', time: 1}]},
      ' .metadata.managedFields[0].fieldsV1: expected map, got &{x}',
    ],
    [
      'several faults, by key',
      {labels: {b: 1, a: 2}},
      ' errors:\n  .metadata.labels.a: expected string, got &value.valueUnstructured{Value:2}\n  .metadata.labels.b: expected string, got &value.valueUnstructured{Value:1}',
    ],
  ])('%s are a matter of the schema', async (_, metadata, message) => {
    const {status, body} = await apply(whole(metadata));
    expect([status, body.message]).toEqual([
      500,
      `failed to create typed patch object (/b; /v1, Kind=Endpoints):${message}`,
    ]);
  });

  test('an integer that is too large is cut, as Go converts it', async () => {
    const {body} = await apply(whole({}, {subsets: [{addresses: [{ip: '10.0.0.1'}], ports: [{port: 99999999999}]}]}));
    expect(body.subsets[0].ports[0].port).toBe(1215752191);
  });
});
