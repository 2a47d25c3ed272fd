// SPDX-License-Identifier: Apache-2.0
/**
 * The state on its way to the disk. What a run has finished (`news`, in the order of finishing) comes first, then what of the state
 * before it (`base`) is not done yet, then the operations in progress.
 *
 * I1 A provider is asked to create, update or delete only after the intent is durable (`start` resolved).
 * I2 A step counts as finished only after its result is durable (`finish` resolved).
 * I3 Every written state is complete by itself and in dependency order; there is no journal to replay.
 * One write at a time; requests that come in meanwhile share the next one. A resource's text is made again only when it changed,
 * so a write costs a join and an fsync.
 */
import {containsSecrets} from '@palisade/provider';
import {messageOf, UnsavedError} from '../engine-error.ts';
import {manifestAt, type PendingOperation, sealWith, secretsProviders} from '../state/deployment-file.ts';
import {dependenciesFirst} from '../state/order.ts';
import {stateToJson} from '../state/resource-json.ts';
import type {OperationType, ResourceState} from '../state/resource-state.ts';
import type {SecretsManager} from '../state/secrets.ts';
import {isProviderType} from '../state/urn.ts';
import type {Clock} from '../system.ts';

export interface SnapshotStore {
  /** Replaces the stored deployment (JSON in UTF-8, in pieces), durably. */
  save(latest: readonly Uint8Array[]): Promise<void>;
}

export type SnapshotOptions = {
  readonly base: readonly ResourceState[];
  readonly pending: readonly PendingOperation[];
  readonly extra: Readonly<Record<string, unknown>>;
  readonly store: SnapshotStore;
  readonly secrets: SecretsManager;
  /** Makes the key ready; called before the first secret is written. */
  readonly unlockSecrets: () => Promise<void>;
  readonly clock: Clock;
};

export class Snapshot {
  #base: readonly ResourceState[];
  readonly #done = new Set<ResourceState>();
  readonly #news: ResourceState[] = [];
  readonly #newSet = new Set<ResourceState>();
  /** Operations of earlier runs that never ended: kept, as the CLI keeps them. */
  #inherited: readonly PendingOperation[];
  readonly #running = new Map<ResourceState, OperationType>();
  readonly #options: SnapshotOptions;
  readonly #texts = new WeakMap<ResourceState, {of: ResourceState; text: Buffer}>();
  #dirty = false;
  #hasKept = false;
  #written: readonly ResourceState[];
  #failure: UnsavedError | undefined;
  #writing: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(options: SnapshotOptions) {
    this.#options = options;
    this.#base = options.base;
    this.#written = options.base;
    this.#inherited = options.pending;
  }

  /** Everything as it would be written now. */
  get resources(): readonly ResourceState[] {
    const all = [...this.#news, ...this.#base.filter(state => !this.#done.has(state) && !this.#newSet.has(state))];
    return this.#hasKept ? dependenciesFirst(all) : all;
  }

  /** Why the last write that failed did. */
  get failure(): UnsavedError | undefined {
    return this.#failure;
  }

  /** Objects that are there and not in the file that was written last. */
  get unwritten(): readonly ResourceState[] {
    const keyOf = ({urn, id}: ResourceState): string => `${urn} ${id}`;
    const written = new Set(this.#written.map(keyOf));
    return this.resources.filter(
      state => state.custom && state.id !== '' && !isProviderType(state.type) && !written.has(keyOf(state)),
    );
  }

  /** When this throws the operation must not be begun. */
  async start(state: ResourceState, type: OperationType): Promise<void> {
    this.#running.set(state, type);
    try {
      await this.write();
    } catch (error) {
      this.#running.delete(state);
      throw error;
    }
  }

  /** The operation on `state` is over, whatever came of it. */
  finish(
    state: ResourceState,
    result: {add?: boolean; done?: readonly (ResourceState | undefined)[]} = {},
  ): Promise<void> {
    this.#running.delete(state);
    this.note(state, result);
    return this.write();
  }

  /** As `finish`, without a write of its own: the change goes out with the next one. */
  note(state: ResourceState, result: {add?: boolean; done?: readonly (ResourceState | undefined)[]} = {}): void {
    if (result.add === true && !this.#newSet.has(state)) {
      this.#newSet.add(state);
      this.#news.push(state);
    }
    for (const old of result.done ?? []) if (old !== undefined) this.drop(old);
    this.#dirty = true;
  }

  /** It stays as it was, with dependencies that the program may not name any more. */
  keep(old: ResourceState): void {
    this.#hasKept = true;
    this.note(old, {add: true});
  }

  /** Takes a resource out, also one that was finished in the same run (then deleted, or imported and updated). */
  drop(state: ResourceState): void {
    if (this.#newSet.delete(state)) this.#news.splice(this.#news.indexOf(state), 1);
    this.#done.add(state);
    this.#dirty = true;
  }

  /** A refresh replaces the base. */
  rebase(base: readonly ResourceState[]): void {
    this.#base = base;
    this.#dirty = true;
  }

  forgetPending(): void {
    if (this.#inherited.length > 0) this.#dirty = true;
    this.#inherited = [];
  }

  markDirty(): void {
    this.#dirty = true;
  }

  /** Resolves when everything up to this call is on disk. Throws UnsavedError when it could not be written. */
  write(): Promise<void> {
    this.#dirty = true;
    if (this.#writing === undefined) {
      this.#writing = this.#save().finally(() => {
        this.#writing = undefined;
      });
      return this.#writing;
    }
    this.#next ??= this.#writing
      .catch(() => undefined) // its own callers get that error
      .then(() => {
        this.#next = undefined;
        return this.write();
      });
    return this.#next;
  }

  /** Writes what `note` left. */
  async flush(): Promise<void> {
    while (this.#dirty || this.#writing !== undefined) await this.write();
  }

  async #save(): Promise<void> {
    const {secrets, unlockSecrets, store} = this.#options;
    const pending = [...this.#running].map(([resource, type]) => ({resource, type}));
    const resources = this.resources;
    this.#dirty = false;
    const all = [...resources, ...pending.map(operation => operation.resource)];
    try {
      if (!secrets.isUnlocked && all.some(state => this.#isStale(state) && holdsSecrets(state))) await unlockSecrets();
      await store.save(this.#render(resources, [...this.#inherited, ...pending]));
      this.#written = resources;
    } catch (cause) {
      this.#dirty = true; // the next write has it all
      this.#failure = new UnsavedError(messageOf(cause), {cause});
      throw this.#failure;
    }
  }

  #isStale(state: ResourceState): boolean {
    const cached = this.#texts.get(state);
    return cached === undefined || !isSameShallow(cached.of, state);
  }

  #text(state: ResourceState): Buffer {
    const cached = this.#texts.get(state);
    if (cached !== undefined && isSameShallow(cached.of, state)) return cached.text;
    const text = Buffer.from(JSON.stringify(stateToJson(state, sealWith(this.#options.secrets))));
    this.#texts.set(state, {of: {...state}, text});
    return text;
  }

  #render(resources: readonly ResourceState[], pending: readonly PendingOperation[]): readonly Uint8Array[] {
    const {secrets, extra, clock} = this.#options;
    const head = {manifest: manifestAt(clock.now().toISOString()), ...secretsProviders(secrets.state)};
    const tail = {metadata: {}, ...extra};
    const pieces: Uint8Array[] = [Buffer.from(JSON.stringify(head).slice(0, -1))];
    resources.forEach((state, i) => {
      pieces.push(i === 0 ? OPEN_RESOURCES : COMMA, this.#text(state));
    });
    if (resources.length > 0) pieces.push(CLOSE_LIST);
    pending.forEach(({resource, type}, i) => {
      pieces.push(
        i === 0 ? OPEN_PENDING : COMMA,
        OPEN_OPERATION,
        this.#text(resource),
        Buffer.from(`,"type":"${type}"}`),
      );
    });
    if (pending.length > 0) pieces.push(CLOSE_LIST);
    pieces.push(COMMA, Buffer.from(JSON.stringify(tail).slice(1)));
    return pieces;
  }
}

const OPEN_RESOURCES = Buffer.from(',"resources":[');
const OPEN_PENDING = Buffer.from(',"pending_operations":[');
const OPEN_OPERATION = Buffer.from('{"resource":');
const CLOSE_LIST = Buffer.from(']');
const COMMA = Buffer.from(',');

const holdsSecrets = (state: ResourceState): boolean => containsSecrets(state.inputs) || containsSecrets(state.outputs);

function isSameShallow(a: ResourceState, b: ResourceState): boolean {
  for (const key of Object.keys(b) as (keyof ResourceState)[]) if (a[key] !== b[key]) return false;
  return true;
}
