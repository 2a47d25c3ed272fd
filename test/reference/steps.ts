// SPDX-License-Identifier: Apache-2.0
/**
 * Requests as fast-check makes them up: what several writers do to two objects of one kind in one namespace.
 *
 * Left out is what the reference answers by chance: fields that are unknown beside another fault in an apply (Go's maps have no
 * order), owners and the propagation of deletes (its garbage collector is another program).
 */
import fc from 'fast-check';

export type Body = Record<string, unknown>;
export type Step = {
  readonly verb: 'create' | 'update' | 'apply' | 'merge' | 'strategic' | 'json' | 'delete' | 'collect' | 'get' | 'list';
  readonly name: string;
  /** '' or a part of the object, such as `status`. */
  readonly subresource?: string | undefined;
  /** Another version or group than the subject's own, in which the same objects are written and read. */
  readonly apiVersion?: string | undefined;
  readonly query: Readonly<Record<string, string>>;
  readonly accept?: string | undefined;
  readonly body?: unknown;
  /** What the body has from the last answer about this object: nothing, its version, its entries of managed fields as well. */
  readonly keeps?: 'version' | 'entries' | undefined;
};

/** A kind as its generator describes it. */
export type Subject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  /** False: its names begin with the namespace, which nobody else has. Default true. */
  readonly namespaced?: boolean | undefined;
  /** What an object has besides kind, version and metadata. */
  readonly fields: fc.Arbitrary<Body>;
  /** Annotations that mean something to the kind, which a part of the objects have. */
  readonly annotations?: fc.Arbitrary<Body> | undefined;
  /** Fields of an object that both servers take. */
  readonly valid: Body;
  /** Where JSON patches point to, besides metadata, and what they put there. */
  readonly pointers: readonly string[];
  readonly values: fc.Arbitrary<unknown>;
  /** Field selectors to list with, good ones and bad ones. */
  readonly fieldSelectors?: readonly string[] | undefined;
  /** Objects that a controller makes in each namespace, and that the reference therefore gets from the test. */
  readonly present?: readonly string[] | undefined;
  /** Parts of the object that are written by themselves. */
  readonly subresources?: readonly string[] | undefined;
  /** What words of a sequence stand for, with the quotes around them: values that no two sequences share, by their number. */
  readonly own?: ((sequence: number) => ReadonlyMap<string, string>) | undefined;
  /** Values that a server chooses where a sequence has none: compared by the order in which they came. */
  readonly chosen?: RegExp | undefined;
  /** The same objects in another version or group, in which a part of the requests are made. */
  readonly alsoAs?: Subject | undefined;
};

/** In bodies: the namespace that the requests are made in. */
export const OWN_NAMESPACE = '{own-namespace}';

export const rarely = <T>(value: fc.Arbitrary<T>, odd: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({weight: 25, arbitrary: value}, {weight: 1, arbitrary: odd});
export const some = <T>(fields: {[K in keyof T]: fc.Arbitrary<T[K]>}, ...required: (keyof T)[]) =>
  fc.record(fields, {requiredKeys: required as never[]});
/** Objects of which at most one field is odd: several faults of one apply come in the order of Go's maps, which is any. */
export const withOneOdd = (good: fc.Arbitrary<Body>, odd: {readonly [field: string]: fc.Arbitrary<unknown>}) => {
  const names = Object.keys(odd);
  const one = fc
    .constantFrom(...names)
    .chain(name => (odd[name] as fc.Arbitrary<unknown>).map(value => ({[name]: value})));
  return fc
    .tuple(good, fc.oneof({weight: 5, arbitrary: fc.constant({})}, {weight: 1, arbitrary: one}))
    .map(([body, more]): Body => ({...body, ...more}));
};
export const manyOf = (value: fc.Arbitrary<unknown>, maxLength: number) =>
  rarely(fc.array(value, {maxLength}), fc.constant(null));

export const words = (values: readonly string[], odd: unknown) =>
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

const META_POINTERS = [
  '/metadata/labels',
  '/metadata/labels/a',
  '/metadata/annotations/b',
  '/metadata/finalizers',
  '/metadata/finalizers/-',
  '/metadata/name',
  '/metadata/managedFields',
  '/nowhere/a',
];
const META_VALUES = fc.constantFrom('1', null, {}, [], ['e.io/c']);

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

const SUBRESOURCE_VERBS: ReadonlySet<Step['verb']> = new Set(['update', 'apply', 'merge', 'strategic', 'json', 'get']);

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

/** The sequence with what its words stand for. */
export const filledIn = ({own}: Subject, steps: readonly Step[], sequence: number): readonly Step[] => {
  let text = JSON.stringify(steps);
  for (const [word, value] of own?.(sequence) ?? []) text = text.replaceAll(JSON.stringify(word), value);
  return JSON.parse(text);
};

/** Up to a dozen requests about two objects of the kind, most of them writes. */
export const stepsOf = (subject: Subject): fc.Arbitrary<Step[]> => {
  const own = stepOf(subject);
  const {alsoAs} = subject;
  const other = alsoAs && stepOf(alsoAs).map((step): Step => ({...step, apiVersion: alsoAs.apiVersion}));
  return fc.array(other === undefined ? own : fc.oneof(own, other), {minLength: 1, maxLength: 12});
};

const stepOf = (subject: Subject): fc.Arbitrary<Step> => {
  const {apiVersion, kind, fields, subresources = []} = subject;
  const name = fc.constantFrom('web', 'web', 'web', 'api');
  const object = fc
    .tuple(metadata, subject.annotations === undefined ? fc.constant(undefined) : seldom(subject.annotations), fields)
    .map(([meta, annotations, more]) => ({metadata: {...(meta as Body), ...(annotations && {annotations})}, ...more}));
  const whole = (made: Body & {metadata: Body}, named: string): Body => ({
    apiVersion,
    kind,
    ...made,
    metadata: {name: named, ...made.metadata},
  });
  const pointer = fc.constantFrom(...META_POINTERS, ...subject.pointers);
  const value = fc.oneof(META_VALUES, subject.values);
  const operation = fc.oneof(
    fc.record({op: fc.constantFrom('add', 'replace', 'test'), path: pointer, value}),
    fc.record({op: fc.constant('remove'), path: pointer}),
    fc.record({op: fc.constantFrom('copy', 'move'), from: pointer, path: pointer}),
  );
  const create = fc
    .tuple(name, object, byUpdate)
    .map(([named, made, query]): Step => ({verb: 'create', name: named, query, body: whole(made, named)}));
  const update = fc.tuple(name, object, byUpdate, fc.constantFrom(undefined, 'version', 'version', 'entries')).map(
    ([named, made, query, keeps]): Step => ({
      verb: 'update',
      name: named,
      query,
      body: whole(made, named),
      keeps: keeps as Step['keeps'],
    }),
  );
  const apply = fc
    .tuple(name, object, byApply)
    .map(([named, made, query]): Step => ({verb: 'apply', name: named, query, body: whole(made, named)}));
  const merge = fc
    .tuple(name, object, byUpdate, accept)
    .map(([named, made, query, accepted]): Step => ({verb: 'merge', name: named, query, accept: accepted, body: made}));
  const strategic = fc.tuple(name, object, byUpdate, directives).map(
    ([named, made, query, more]): Step => ({
      verb: 'strategic',
      name: named,
      query,
      body: {...made, metadata: {...made.metadata, ...more}},
    }),
  );
  const json = fc
    .tuple(name, fc.array(operation, {minLength: 1, maxLength: 3}), byUpdate)
    .map(([named, body, query]): Step => ({verb: 'json', name: named, query, body}));
  const deletion = fc
    .tuple(name, fc.constantFrom(undefined, {gracePeriodSeconds: 0}, {preconditions: {uid: 'x'}}, {dryRun: ['All']}))
    .map(([named, body]): Step => ({verb: 'delete', name: named, query: {}, body}));
  const collect = queryOf({labelSelector: fc.constantFrom('a', 'a=1'), dryRun: seldom(fc.constant('All'))}).map(
    (query): Step => ({verb: 'collect', name: '', query}),
  );
  const get = fc
    .tuple(name, accept)
    .map(([named, accepted]): Step => ({verb: 'get', name: named, query: {}, accept: accepted}));
  const fieldSelectors = subject.fieldSelectors ?? ['metadata.name=web', 'metadata.name!=web', 'spec.a=1'];
  const list = fc
    .tuple(
      queryOf({
        labelSelector: fc.constantFrom(undefined, 'a=1', 'a in (1,2),!b', 'a in (', 'a!=2'),
        fieldSelector: fc.constantFrom(undefined, undefined, ...fieldSelectors),
        limit: seldom(fc.constantFrom('1', '-1', 'x')),
      }),
      accept,
    )
    .map(([query, accepted]): Step => ({verb: 'list', name: '', query, accept: accepted}));
  const any = fc.oneof(
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
  );
  const part = fc.constantFrom(undefined, undefined, undefined, ...subresources);
  return fc
    .tuple(any, part)
    .map(([step, subresource]): Step => (SUBRESOURCE_VERBS.has(step.verb) ? {...step, subresource} : step));
};
