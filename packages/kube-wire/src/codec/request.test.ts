// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {kubeTypes} from '../gen/kube-types.ts';
import {encodeProtobuf} from '../proto/envelope.ts';
import {decodeDeleteOptions} from './meta-options.ts';
import {decodePatched, decodeRequestBody} from './request.ts';

const expected = {
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  typeName: 'io.k8s.api.core.v1.Endpoints',
  internalName: 'core.Endpoints',
};
const read = (body: string, json?: string) => decodeRequestBody(kubeTypes, expected, {bytes: Buffer.from(body), json});
const head = 'the object provided is unrecognized (must be of type Endpoints): ';

test.each([
  ['no JSON', '{', `${head}couldn't get version/kind; json parse error: unexpected end of JSON input ({)`],
  ['nothing', '', `${head}couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)`],
  [
    'a long body, quoted in part',
    `{"apiVersion":"v1","kind":"Endpoints"} trailing`,
    `${head}couldn't get version/kind; json parse error: invalid character 't' after top-level value ({"apiVersion":"v1","kind":"End ...)`,
  ],
  [
    'a long body, quoted up to the middle of a letter',
    '{"apiVersion":0,"kind":"xxxx😀"}',
    `${head}couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .apiVersion of type string ({"apiVersion":0,"kind":"xxxx\ufffd\ufffd ...)`,
  ],
  [
    'a kind of the wrong type',
    '{"kind":5}',
    `${head}couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})`,
  ],
  [
    'a version of three parts',
    '{"apiVersion":"a/b/c"}',
    `${head}unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})`,
  ],
  ...['constructor', '__proto__', 'toString'].map(version => [
    `a version that is no version (${version})`,
    `{"apiVersion":"${version}","kind":"ListOptions"}`,
    `ListOptions in version "${version}" cannot be handled as a Endpoints: no kind "ListOptions" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111"`,
  ]),
  [
    'a known kind that is another',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":5}}',
    'Pod in version "v1" cannot be handled as a Endpoints: converting (v1.Pod) to (core.Endpoints): unknown conversion',
  ],
  ...[
    ['DeleteOptions', '"gracePeriodSeconds":"x"', 'string', 'DeleteOptions.gracePeriodSeconds of type int64'],
    ['ListOptions', '"limit":"x"', 'string', 'ListOptions.limit of type int64'],
    ['Namespace', '"metadata":3', 'number', 'Namespace.metadata of type v1.ObjectMeta'],
    ['EndpointsList', '"items":3', 'number', 'EndpointsList.items of type []v1.Endpoints'],
  ].map(([kind, field, found, place]) => [
    `another kind with a fault of its own (${kind})`,
    `{"apiVersion":"v1","kind":"${kind}",${field}}`,
    `${kind} in version "v1" cannot be handled as a Endpoints: json: cannot unmarshal ${found} into Go struct field ${place}`,
  ]),
  [
    'a kind found without regard to case',
    '{"KIND":"Pod"}',
    'Pod in version "v1" cannot be handled as a Endpoints: converting (v1.Pod) to (core.Endpoints): unknown conversion',
  ],
  ...[
    ['v1', 'List', 'converting (v1.List) to (core.Endpoints): unknown conversion'],
    ['v1', 'endpoints', 'no kind "endpoints" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"'],
    ['v1', 'A"b', 'no kind "A\\"b" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"'],
    ['apps/v1', 'Deployment', 'converting (v1.Deployment) to (core.Endpoints): unknown conversion'],
    ['apps/v1', 'PatchOptions', 'converting (v1.PatchOptions) to (core.Endpoints): unknown conversion'],
    [
      'apiregistration.k8s.io/v1',
      'APIService',
      'no kind "APIService" is registered for version "apiregistration.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
  ].map(([apiVersion = '', kind = '', why = '']) => [
    `${kind} of ${apiVersion}`,
    JSON.stringify({apiVersion, kind}),
    `${kind} in version "v1" cannot be handled as a Endpoints: ${why}`,
  ]),
  [
    'a version without a name',
    '{"apiVersion":"v1/"}',
    `Endpoints in version "" cannot be handled as a Endpoints: Object 'apiVersion' is missing in '{"apiVersion":"v1/"}'`,
  ],
  [
    'a kind nobody knows',
    '{"kind":"Foo"}',
    'Foo in version "v1" cannot be handled as a Endpoints: no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
  ],
  ...[
    ['__internal', 'Pod', 'converting (core.Pod) to (core.Endpoints): unknown conversion'],
    ['rbac.authorization.k8s.io/__internal', 'Role', 'converting (rbac.Role) to (core.Endpoints): unknown conversion'],
    ['__internal', 'WatchEvent', 'converting (v1.InternalEvent) to (core.Endpoints): unknown conversion'],
    ['v2', 'Status', 'converting (v1.Status) to (core.Endpoints): unknown conversion'],
    ...[
      ['__internal', 'Role', ''],
      ['__internal', 'DeleteOptions', ''],
      ['x.io/__internal', 'Pod', 'x.io'],
    ].map(([version = '', kind = '', group = '']) => [
      version,
      kind,
      `no kind "${kind}" is registered for the internal version of group "${group}" in scheme "pkg/runtime/scheme.go:111"`,
    ]),
  ].map(([version = '', kind = '', why = '']) => [
    `${kind} in ${version}`,
    JSON.stringify({apiVersion: version, kind}),
    `${kind} in version "${version.split('/').at(-1)}" cannot be handled as a Endpoints: ${why}`,
  ]),
  [
    'a version nobody knows',
    '{"apiVersion":"x.io/v2","kind":"Endpoints"}',
    'Endpoints in version "v2" cannot be handled as a Endpoints: no kind "Endpoints" is registered for version "x.io/v2" in scheme "pkg/runtime/scheme.go:111"',
  ],
  [
    'a field of the wrong type',
    '{"subsets":1}',
    'Endpoints in version "v1" cannot be handled as a Endpoints: json: cannot unmarshal number into Go struct field Endpoints.subsets of type []v1.EndpointSubset',
  ],
])('refuses %s', (_, body, message) => {
  expect(() => read(body)).toThrow(expect.objectContaining({name: 'DecodeError', message}));
});

test('a patched document is told the first fault of its text, not of its value', () => {
  const value = {apiVersion: 'v1', kind: 'Endpoints', metadata: {name: 1, labels: 2}};
  const text = () => JSON.stringify(value);
  expect(() => decodePatched(kubeTypes, expected, value, {text, live: {}})).toThrow(
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
  );
});

test('a scalar is quoted in hexadecimal', () => {
  expect(() => read('"x"')).toThrow(
    /cannot unmarshal string into Go value of type struct \{ APIVersion string .* \(227822\)$/,
  );
});

test.each(['{}', 'null', '{"kind":"Endpoints"}', '{"apiVersion":"v1"}', '{"apiVersion":null,"kind":null}'])(
  'kind and version may be left out: %s',
  body => expect(read(body).object['metadata']).toEqual({}),
);

test('YAML is decoded from its JSON and quoted as it came', () => {
  expect(read('metadata: {name: a}', '{"metadata":{"name":"a"}}').object).toEqual({metadata: {name: 'a'}});
  expect(() => read('- 1', '[1]')).toThrow(/\(2d2031\)$/);
});

test('protobuf goes by its envelope', () => {
  const body = (object: object) => ({
    bytes: encodeProtobuf(kubeTypes, expected.typeName, object as never),
    protobuf: true,
  });
  const sent = {kind: 'Endpoints', apiVersion: 'v1', metadata: {name: 'a'}, subsets: [{ports: [{port: 1}]}]};
  expect(decodeRequestBody(kubeTypes, expected, body(sent)).object).toMatchObject({
    ...sent,
    subsets: [{ports: [{port: 1, protocol: 'TCP'}]}],
  });
  expect(() => decodeRequestBody(kubeTypes, expected, body({...sent, kind: 'Pod'}))).toThrow(
    /^Pod in version "v1" cannot/,
  );
  for (const apiVersion of ['a/b/c', 'v1/', '/', '']) {
    expect(decodeRequestBody(kubeTypes, expected, body({...sent, apiVersion})).object).toMatchObject({
      metadata: {name: 'a'},
    });
  }
  expect(() => decodeRequestBody(kubeTypes, expected, body({...sent, apiVersion: '__internal'}))).toThrow(
    'Endpoints in version "__internal" cannot be handled as a Endpoints: object *core.Endpoints does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message',
  );
  expect(() => decodeRequestBody(kubeTypes, expected, body({kind: 'Status', apiVersion: '__internal'}))).toThrow(
    'converting (v1.Status) to (core.Endpoints): unknown conversion',
  );
  const text = {bytes: Buffer.from('{"a":1}'), protobuf: true};
  expect(() => decodeRequestBody(kubeTypes, expected, text)).toThrow(
    `${head}provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({"a":1})`,
  );
});

const STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

test.each([
  {
    body: {gracePeriodSeconds: 'x'},
    text: 'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
  },
  {
    body: {kind: 'Foo'},
    text: 'no kind "Foo" is registered for version "meta.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
  },
  {
    body: {kind: 'Pod', apiVersion: 'v1'},
    text: 'no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
  },
  {body: {kind: 'Status', apiVersion: 'v1'}, text: 'converting (v1.Status) to (v1.DeleteOptions): unknown conversion'},
  {
    body: {kind: 'Table', apiVersion: 'meta.k8s.io/v1'},
    text: 'converting (v1.Table) to (v1.DeleteOptions): unknown conversion',
  },
  {
    body: {kind: 'CreateOptions', apiVersion: 'apps/v1'},
    text: 'converting (v1.CreateOptions) to (v1.DeleteOptions): unknown conversion',
  },
  {
    body: {kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1beta1'},
    text: 'converting (v1beta1.PartialObjectMetadataList) to (v1.DeleteOptions): unknown conversion',
  },
  {
    body: {kind: 'ListOptions', apiVersion: 'meta.k8s.io/__internal'},
    text: 'converting (internalversion.ListOptions) to (v1.DeleteOptions): unknown conversion',
  },
  {
    body: {kind: 'constructor', apiVersion: '__internal'},
    text: 'no kind "constructor" is registered for the internal version of group "" in scheme "pkg/runtime/scheme.go:111"',
  },
  {body: {apiVersion: 'a/b/c'}, text: 'unexpected GroupVersion string: a/b/c'},
  {
    body: [],
    text: `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${STRUCT}`,
  },
  {body: '{', text: "couldn't get version/kind; json parse error: unexpected end of JSON input"},
])('DeleteOptions: refuses $body', ({body, text}) => {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  expect(() => decodeDeleteOptions(kubeTypes, {bytes})).toThrow(
    expect.objectContaining({name: 'DecodeError', message: text}),
  );
});

test.each([
  {kind: 'DeleteOptions', apiVersion: 'apps/v1'},
  {kind: 'DeleteOptions', apiVersion: 'nope/v9'},
  {apiVersion: 'v1'},
  {},
])('DeleteOptions: takes %j', body => {
  const bytes = Buffer.from(JSON.stringify({...body, gracePeriodSeconds: 3}));
  expect(decodeDeleteOptions(kubeTypes, {bytes})).toMatchObject({gracePeriodSeconds: 3});
});
