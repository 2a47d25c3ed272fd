// SPDX-License-Identifier: Apache-2.0
/** Requests for the objects of one kind. Namespaced ones are in `one` unless a test says otherwise. */
import {expect} from 'vitest';
import {
  type Answer,
  APPLY,
  type Body,
  freshName,
  MERGE,
  type Sent,
  type WireClient,
  type WireWatch,
} from '../support.ts';
import type {Content, KindFixture, ListFixture} from './kind-fixture.ts';

type Query = Readonly<Record<string, string>>;
type Metadata = Readonly<Record<string, unknown>>;

const isContent = (value: unknown): value is Content =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Both, member by member; where they differ, the second. */
const joined = (one: Content, other: Content): Content => {
  const members = Object.entries(other).map(([key, value]) => {
    const before = one[key];
    return [key, isContent(before) && isContent(value) ? joined(before, value) : value];
  });
  return {...one, ...Object.fromEntries(members)};
};

export class Objects {
  readonly fixture: KindFixture;
  readonly namespaced: boolean;
  readonly apiVersion: string;
  /** `Endpoints`, `Widget.test.palisade.dev`: the kind in texts of refusals. */
  readonly kindText: string;
  /** `endpoints`, `widgets.test.palisade.dev`: the resource in texts of refusals. */
  readonly resourceText: string;
  /** `/api/v1`, `/apis/GROUP/VERSION`. */
  readonly root: string;
  /** The collection in all namespaces. */
  readonly everywhere: string;
  /** The collection that tests work in. */
  readonly path: string;
  readonly #wire: () => WireClient;

  constructor(fixture: KindFixture, wire: () => WireClient) {
    const {group, version, kind, resource, namespaced} = fixture.definition;
    this.fixture = fixture;
    this.namespaced = namespaced;
    this.apiVersion = group === '' ? version : `${group}/${version}`;
    this.kindText = group === '' ? kind : `${kind}.${group}`;
    this.resourceText = group === '' ? resource : `${resource}.${group}`;
    this.root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    this.everywhere = `${this.root}/${resource}`;
    this.path = this.in('one');
    this.#wire = wire;
  }

  get wire(): WireClient {
    return this.#wire();
  }

  /** The same kind over another server. */
  over(wire: WireClient): Objects {
    return new Objects(this.fixture, () => wire);
  }

  /** The collection in a namespace; kinds without namespaces have only one. */
  in(namespace: string): string {
    const {resource} = this.fixture.definition;
    return this.namespaced ? `${this.root}/namespaces/${namespace}/${resource}` : `${this.root}/${resource}`;
  }

  at(name: string): string {
    return `${this.path}/${name}`;
  }

  /** `content` as a number: the fixture's own. */
  body(name: string | undefined, content: number | Content = {}, metadata: Metadata = {}): Body {
    const {kind} = this.fixture.definition;
    const members = typeof content === 'number' ? this.fixture.content(content) : content;
    return {apiVersion: this.apiVersion, kind, ...this.#whole(members), metadata: {name, ...metadata}};
  }

  /** What is sent of an object that is there already: only metadata. */
  part(name: string, metadata: Metadata): Body {
    return {apiVersion: this.apiVersion, kind: this.fixture.definition.kind, metadata: {name, ...metadata}};
  }

  /** With what every object of the kind has to have. */
  #whole(content: Content): Content {
    return joined(this.fixture.minimal ?? {}, content);
  }

  /** A body that has these items in one of its lists. */
  holding(name: string, list: ListFixture, items: readonly unknown[]): Body {
    const inner = list.path.toReversed().reduce<unknown>((value, step) => ({[step]: value}), items) as Body;
    return {...this.body(name), ...this.#whole(inner), metadata: {name, ...inner.metadata}};
  }

  /** Without a name where `metadata` has one, or a prefix. */
  post(
    name: string | undefined,
    content: number | Content = {},
    metadata: Metadata = {},
    sent: Sent = {},
  ): Promise<Answer> {
    return this.wire.send('POST', this.path, {body: this.body(name, content, metadata), ...sent});
  }

  /** A new object with a name of its own, as it was answered. */
  async create(metadata: Metadata = {}, content: number | Content = {}): Promise<Body> {
    const answer = await this.post(freshName(), content, metadata);
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  }

  get(name: string, sent: Sent = {}): Promise<Answer> {
    return this.wire.send('GET', this.at(name), sent);
  }

  /** With the version that is stored, for kinds that want one, unless `metadata` has one. */
  async put(name: string, content: number | Content, metadata: Metadata = {}, sent: Sent = {}): Promise<Answer> {
    const {allowUnconditionalUpdate} = this.fixture.definition.strategy;
    const version =
      allowUnconditionalUpdate || 'resourceVersion' in metadata
        ? {}
        : {resourceVersion: (await this.get(name)).body.metadata.resourceVersion};
    return this.wire.send('PUT', this.at(name), {body: this.body(name, content, {...version, ...metadata}), ...sent});
  }

  patch(name: string, type: string, body: unknown, query: Query = {}): Promise<Answer> {
    return this.wire.send('PATCH', this.at(name), {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      query,
      headers: {'content-type': type},
    });
  }

  merge(name: string, metadata: Metadata, query: Query = {}): Promise<Answer> {
    return this.patch(name, MERGE, {metadata}, query);
  }

  /** `applied`: a whole body. */
  apply(manager: string, applied: Body, query: Query = {}): Promise<Answer> {
    return this.patch(applied.metadata.name, APPLY, applied, {fieldManager: manager, ...query});
  }

  remove(name: string, options?: object): Promise<Answer> {
    const body = {kind: 'DeleteOptions', apiVersion: 'v1', ...options};
    return this.wire.send('DELETE', this.at(name), options === undefined ? {} : {body});
  }

  async list(query: Query = {}): Promise<Body> {
    return (await this.wire.send('GET', this.path, {query})).body;
  }

  async names(query: Query = {}): Promise<string[]> {
    return (await this.list(query)).items.map((item: Body) => item.metadata.name);
  }

  watch(query: Query = {}, headers: Query = {}): Promise<WireWatch> {
    return this.wire.watch(this.path, query, headers);
  }

  gone(name: string): Promise<void> {
    return expect.poll(async () => (await this.get(name)).status, {timeout: 10_000}).toBe(404);
  }

  /** An owner reference to an object. */
  refTo({kind, metadata}: Body, more: object = {}): object {
    return {apiVersion: this.apiVersion, kind, name: metadata.name, uid: metadata.uid, ...more};
  }
}
