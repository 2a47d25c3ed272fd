// SPDX-License-Identifier: Apache-2.0
/**
 * Requests as fast-check makes them up: what several writers do to two Endpoints objects of one namespace.
 *
 * Left out is what the reference answers by chance: fields that are unknown beside another fault in an apply (Go's maps have no
 * order), owners and the propagation of deletes (its garbage collector is another program).
 */
import fc from 'fast-check';

export type Body = Record<string, unknown>;
export type Step = {
  readonly verb: 'create' | 'update' | 'apply' | 'merge' | 'strategic' | 'json' | 'delete' | 'collect' | 'get' | 'list';
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
  readonly accept?: string | undefined;
  readonly body?: unknown;
  /** What the body has from the last answer about this object: nothing, its version, its entries of managed fields as well. */
  readonly keeps?: 'version' | 'entries' | undefined;
};

const rarely = <T>(value: fc.Arbitrary<T>, odd: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({weight: 25, arbitrary: value}, {weight: 1, arbitrary: odd});
const some = <T>(fields: {[K in keyof T]: fc.Arbitrary<T[K]>}, ...required: (keyof T)[]) =>
  fc.record(fields, {requiredKeys: required as never[]});
const manyOf = (value: fc.Arbitrary<unknown>, maxLength: number) =>
  rarely(fc.array(value, {maxLength}), fc.constant(null));

const target = some(
  {
    kind: fc.constantFrom('Pod', 'Node'),
    name: fc.constantFrom('p1', 'p2'),
    namespace: fc.constant('shop'),
    uid: fc.constant('u1'),
    resourceVersion: fc.constant('5'),
    fieldPath: fc.constant('spec.a'),
  },
  'kind',
  'name',
);
const address = some(
  {
    ip: rarely(
      fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3', '2001:db8::1'),
      fc.constantFrom('127.0.0.1', 'nine', ''),
    ),
    hostname: rarely(fc.constantFrom('h1', 'h2'), fc.constantFrom(null, 'H_')),
    nodeName: fc.constantFrom('n1', 'n2'),
    targetRef: target,
  },
  'ip',
);
const port = some(
  {
    port: rarely(fc.constantFrom(80, 443, 8080), fc.constantFrom(0, 65536, '80')),
    name: rarely(fc.constantFrom('http', 'metrics', ''), fc.constantFrom(null, 'UP', 7)),
    protocol: rarely(fc.constantFrom('TCP', 'UDP', 'SCTP'), fc.constantFrom('ICMP', '')),
    appProtocol: rarely(fc.constantFrom('http', 'kubernetes.io/h2c'), fc.constant('a b')),
  },
  'port',
);
const subset = some({
  addresses: manyOf(address, 3),
  notReadyAddresses: manyOf(address, 2),
  ports: manyOf(port, 2),
});
const words = (values: readonly string[], odd: unknown) =>
  rarely(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(...values), {maxKeys: 2}), fc.constant(odd));
const metadata = some({
  labels: words(['1', '2', ''], {a: null}),
  annotations: words(['x', 'y z', ''], null),
  finalizers: rarely(
    fc.uniqueArray(fc.constantFrom('e.io/a', 'e.io/b'), {maxLength: 2}),
    fc.constantFrom(['bad'], null),
  ),
  generateName: fc.constant('g-'),
  resourceVersion: rarely(fc.constant(''), fc.constantFrom('1', '999999999')),
});
const object = fc.record({metadata, subsets: fc.option(manyOf(subset, 2), {nil: undefined, freq: 6})});

const whole = (made: {metadata: Body; subsets: unknown}, name: string): Body => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  ...made,
  metadata: {name, ...made.metadata},
});

const pointer = fc.constantFrom(
  '/metadata/labels',
  '/metadata/labels/a',
  '/metadata/annotations/b',
  '/metadata/finalizers',
  '/metadata/finalizers/-',
  '/metadata/name',
  '/metadata/managedFields',
  '/subsets',
  '/subsets/-',
  '/subsets/0',
  '/subsets/0/addresses',
  '/subsets/0/addresses/-',
  '/subsets/0/addresses/0/ip',
  '/subsets/0/ports/0/port',
  '/nowhere/a',
);
const value = fc.oneof(
  fc.constantFrom('1', '10.0.0.9', 81, null, {}, [], ['e.io/c']),
  fc.array(subset, {maxLength: 1}),
  subset,
  address,
);
const operation = fc.oneof(
  fc.record({op: fc.constantFrom('add', 'replace', 'test'), path: pointer, value}),
  fc.record({op: fc.constant('remove'), path: pointer}),
  fc.record({op: fc.constantFrom('copy', 'move'), from: pointer, path: pointer}),
);
const directives = fc.constantFrom<Body>(
  {},
  {},
  {},
  {'$deleteFromPrimitiveList/finalizers': ['e.io/a'], finalizers: undefined}, // with both, the order of Go's map decides
  {'$setElementOrder/finalizers': ['e.io/b', 'e.io/a']},
  {labels: {$patch: 'replace', z: '1'}},
  {annotations: {$patch: 'delete'}},
  {$retainKeys: ['name', 'labels']},
);

const name = fc.constantFrom('web', 'web', 'web', 'api');
const manager = fc.constantFrom('m1', 'm2', 'm3');
const seldom = <T>(value: fc.Arbitrary<T>) => fc.option(value, {nil: undefined, freq: 1});
const queryOf = (fields: Record<string, fc.Arbitrary<string | undefined>>): fc.Arbitrary<Record<string, string>> =>
  fc
    .record(fields)
    .map(
      all => Object.fromEntries(Object.entries(all).filter(entry => entry[1] !== undefined)) as Record<string, string>,
    );
const writing = {
  dryRun: rarely(fc.constant(undefined), fc.constantFrom('All', 'Some')) as fc.Arbitrary<string | undefined>,
  fieldValidation: seldom(fc.constantFrom('Strict', 'Warn', 'Ignore')),
};
const byUpdate = queryOf({...writing, fieldManager: seldom(manager)});
const byApply = queryOf({
  ...writing,
  fieldManager: manager,
  force: fc.constantFrom(undefined, undefined, 'true', 'false'),
});
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json';
const accept = fc.constantFrom(undefined, undefined, TABLE, METADATA);

const create = fc
  .tuple(name, object, byUpdate)
  .map(([name, made, query]): Step => ({verb: 'create', name, query, body: whole(made, name)}));
const update = fc.tuple(name, object, byUpdate, fc.constantFrom(undefined, 'version', 'version', 'entries')).map(
  ([name, made, query, keeps]): Step => ({
    verb: 'update',
    name,
    query,
    body: whole(made, name),
    keeps: keeps as Step['keeps'],
  }),
);
const apply = fc
  .tuple(name, object, byApply)
  .map(([name, made, query]): Step => ({verb: 'apply', name, query, body: whole(made, name)}));
const merge = fc
  .tuple(name, object, byUpdate, accept)
  .map(([name, made, query, accept]): Step => ({verb: 'merge', name, query, accept, body: made}));
const strategic = fc.tuple(name, object, byUpdate, directives).map(
  ([name, made, query, more]): Step => ({
    verb: 'strategic',
    name,
    query,
    body: {...made, metadata: {...made.metadata, ...more}},
  }),
);
const json = fc
  .tuple(name, fc.array(operation, {minLength: 1, maxLength: 3}), byUpdate)
  .map(([name, body, query]): Step => ({verb: 'json', name, query, body}));
const deletion = fc
  .tuple(name, fc.constantFrom(undefined, {gracePeriodSeconds: 0}, {preconditions: {uid: 'x'}}, {dryRun: ['All']}))
  .map(([name, body]): Step => ({verb: 'delete', name, query: {}, body}));
const collect = queryOf({labelSelector: fc.constantFrom('a', 'a=1'), dryRun: seldom(fc.constant('All'))}).map(
  (query): Step => ({verb: 'collect', name: '', query}),
);
const get = fc.tuple(name, accept).map(([name, accept]): Step => ({verb: 'get', name, query: {}, accept}));
const list = fc
  .tuple(
    queryOf({
      labelSelector: fc.constantFrom(undefined, 'a=1', 'a in (1,2),!b', 'a in (', 'a!=2'),
      fieldSelector: fc.constantFrom(undefined, undefined, 'metadata.name=web', 'metadata.name!=web', 'spec.a=1'),
      limit: seldom(fc.constantFrom('1', '-1', 'x')),
    }),
    accept,
  )
  .map(([query, accept]): Step => ({verb: 'list', name: '', query, accept}));

/** Up to a dozen requests, most of them writes. */
export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {weight: 10, arbitrary: apply},
    {weight: 2, arbitrary: create},
    {weight: 3, arbitrary: update},
    {weight: 3, arbitrary: merge},
    {weight: 3, arbitrary: strategic},
    {weight: 3, arbitrary: json},
    {weight: 1, arbitrary: deletion},
    {weight: 1, arbitrary: get},
    {weight: 1, arbitrary: list},
    {weight: 1, arbitrary: collect},
  ),
  {minLength: 1, maxLength: 12},
);
