// SPDX-License-Identifier: Apache-2.0
/**
 * A cloud in memory and the provider `fake` for it. Every provider call is recorded in `calls` as `<rpc> <name>`.
 *
 * Inputs of a `fake:index:Thing`: `name` (automatic when left out), `value`, `key` (a change replaces), `early: true` (replacement
 * deletes first), `bad` (refused by Check), `fail: 'create' | 'update' | 'delete' | 'partial'`, anything else is kept as it is.
 * Outputs: the inputs, `computed: "c-<id>"`, `version` (1, then one more per update).
 */
import {
  type CheckRequest,
  type CreateRequest,
  type DeleteRequest,
  type DiffRequest,
  type DiffResult,
  diffProperties,
  isSecret,
  isUnknown,
  type PropertyMap,
  type PropertyValue,
  type Provider,
  ProviderError,
  type ReadRequest,
  ResourceInitError,
  revealProperties,
  toDiffResult,
  UNKNOWN,
  type UpdateRequest,
} from '@palisade/provider';

export type FakeObject = {readonly id: string; readonly inputs: PropertyMap; readonly version: number};

export class FakeCloud {
  readonly objects = new Map<string, FakeObject>();
  calls: string[] = [];
  /** Configurations that providers were given. */
  configs: PropertyMap[] = [];
  /** Called before a call acts; may throw or wait. */
  before: (call: string) => Promise<void> | void = () => undefined;
  cancelled = 0;
  #next = 0;

  nextId(): string {
    this.#next += 1;
    return `id-${this.#next}`;
  }

  /** The calls since the last take. */
  take(): string[] {
    const taken = this.calls;
    this.calls = [];
    return taken;
  }

  /** Changes an object from outside. */
  drift(name: string, change: PropertyMap): void {
    const found = [...this.objects.values()].find(object => object.inputs['name'] === name);
    if (found === undefined) throw new Error(`no object ${name}`);
    this.objects.set(found.id, {...found, inputs: {...found.inputs, ...change}});
  }

  provider(name = 'fake'): Provider {
    return new FakeProvider(this, name);
  }
}

const nameOf = (urn: string): string => urn.split('::').slice(3).join('::');

class FakeProvider implements Provider {
  readonly name: string;
  readonly version = '0.1.0';
  readonly #cloud: FakeCloud;

  constructor(cloud: FakeCloud, name: string) {
    this.#cloud = cloud;
    this.name = name;
  }

  async #record(rpc: string, urn: string): Promise<void> {
    const call = `${rpc} ${nameOf(urn)}`;
    this.#cloud.calls.push(call);
    await this.#cloud.before(call);
  }

  getSchema(): string {
    return '{}';
  }

  async checkConfig(request: {urn: string; news: PropertyMap}) {
    const failures = request.news['bad'] === undefined ? [] : [{property: 'bad', reason: 'is bad'}];
    return {inputs: request.news, failures};
  }

  async diffConfig(request: {oldInputs: PropertyMap; news: PropertyMap}): Promise<DiffResult> {
    return toDiffResult(
      diffProperties(revealProperties(request.oldInputs), revealProperties(request.news), {replaceOn: ['region']}),
    );
  }

  async configure(request: {inputs: PropertyMap}): Promise<void> {
    this.#cloud.configs.push(request.inputs);
  }

  async check(request: CheckRequest) {
    await this.#record('check', request.urn);
    const inputs: Record<string, PropertyValue> = {...request.news};
    const seed = Buffer.from(request.randomSeed).toString('hex').slice(0, 7);
    const name = request.autonaming?.proposedName ?? `${nameOf(request.urn)}-${seed}`;
    inputs['name'] ??= request.olds['name'] ?? name;
    const failures = 'bad' in inputs ? [{property: 'bad', reason: 'this is refused'}] : [];
    return {inputs, failures};
  }

  async diff(request: DiffRequest): Promise<DiffResult> {
    await this.#record('diff', request.urn);
    const [before, after] = [revealProperties(request.oldInputs), revealProperties(request.news)];
    const early = after['early'] === true;
    return toDiffResult(diffProperties(before, after, {replaceOn: ['key', 'name']}), {deleteBeforeReplace: early});
  }

  #outputs(inputs: PropertyMap, id: string, version: number): PropertyMap {
    return {...inputs, computed: `c-${id}`, version};
  }

  async create(request: CreateRequest) {
    if (request.preview === true) return {id: '', properties: {...request.news, computed: UNKNOWN, version: UNKNOWN}};
    await this.#record('create', request.urn);
    const {news} = request;
    if (news['fail'] === 'create') throw new ProviderError('unavailable', 'the cloud is down');
    const id = this.#cloud.nextId();
    if ([...this.#cloud.objects.values()].some(object => plain(object.inputs['name']) === plain(news['name'])))
      throw new ProviderError('already-exists', `${String(plain(news['name']))} exists already`);
    this.#cloud.objects.set(id, {id, inputs: news, version: 1});
    const properties = this.#outputs(news, id, 1);
    if (news['fail'] === 'partial') throw new ResourceInitError({id, properties, inputs: news, reasons: ['half done']});
    return {id, properties};
  }

  async read(request: ReadRequest) {
    await this.#record('read', request.urn);
    const object = this.#cloud.objects.get(request.id);
    if (object === undefined) return {id: '', properties: {}, inputs: {}};
    return {id: object.id, properties: this.#outputs(object.inputs, object.id, object.version), inputs: object.inputs};
  }

  async update(request: UpdateRequest) {
    const {id, news} = request;
    if (request.preview === true) return {properties: {...request.olds, ...news, version: UNKNOWN}};
    await this.#record('update', request.urn);
    if (news['fail'] === 'update') throw new ProviderError('unavailable', 'the cloud is down');
    const version = (this.#cloud.objects.get(id)?.version ?? 0) + 1;
    this.#cloud.objects.set(id, {id, inputs: news, version});
    return {properties: this.#outputs(news, id, version)};
  }

  async delete(request: DeleteRequest): Promise<void> {
    await this.#record('delete', request.urn);
    if (request.oldInputs['fail'] === 'delete') throw new ProviderError('unavailable', 'the cloud is down');
    this.#cloud.objects.delete(request.id);
  }

  cancel(): void {
    this.#cloud.cancelled += 1;
  }
}

const plain = (value: PropertyValue | undefined): unknown =>
  isSecret(value) ? plain(value.value) : isUnknown(value) ? undefined : value;
