// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {emptyState, type ResourceState} from '../state/resource-state.ts';
import {SecretsManager} from '../state/secrets.ts';
import {realSystem} from '../system.ts';
import {Snapshot} from './snapshot.ts';

const system = realSystem();
const thing = (name: string): ResourceState => ({
  ...emptyState(`urn:pulumi:s::p::t:t:t::${name}`, 't:t:t'),
  id: name,
  custom: true,
});

/** A store whose writes end when the test says so. */
class SlowStore {
  readonly written: string[] = [];
  #waiting: {resolve: () => void; reject: (error: Error) => void}[] = [];
  active = 0;
  activeMax = 0;

  async save(pieces: readonly Uint8Array[]): Promise<void> {
    this.active += 1;
    this.activeMax = Math.max(this.activeMax, this.active);
    const text = Buffer.concat(pieces).toString();
    try {
      await new Promise<void>((resolve, reject) => this.#waiting.push({resolve, reject}));
      this.written.push(text);
    } finally {
      this.active -= 1;
    }
  }

  async settle(error?: Error): Promise<void> {
    await new Promise(resolve => setImmediate(resolve));
    const waiting = this.#waiting.shift();
    if (error === undefined) waiting?.resolve();
    else waiting?.reject(error);
    await new Promise(resolve => setImmediate(resolve));
  }

  names(at = -1): string[] {
    const deployment = JSON.parse(this.written.at(at) ?? '{}');
    return (deployment.resources ?? []).map((resource: {id: string}) => resource.id);
  }

  pending(at = -1): string[] {
    const deployment = JSON.parse(this.written.at(at) ?? '{}');
    return (deployment.pending_operations ?? []).map(
      (op: {type: string; resource: {id: string}}) => `${op.type} ${op.resource.id}`,
    );
  }
}

const snapshotOn = (store: SlowStore, base: readonly ResourceState[] = []): Snapshot =>
  new Snapshot({
    base,
    pending: [],
    extra: {},
    store,
    secrets: new SecretsManager({state: undefined, passphrase: () => undefined, random: system.random}),
    unlockSecrets: async () => undefined,
    clock: system.clock,
  });

describe('the state on its way to the disk', () => {
  test('I1 an intent is durable before start resolves; requests meanwhile share the next write', async () => {
    const store = new SlowStore();
    const snapshot = snapshotOn(store);
    const order: string[] = [];
    const first = snapshot.start(thing('a'), 'creating').then(() => order.push('a'));
    const others = ['b', 'c', 'd'].map(name => snapshot.start(thing(name), 'creating').then(() => order.push(name)));
    await store.settle();
    await first;
    expect([order, store.pending()]).toEqual([['a'], ['creating a']]);
    await store.settle();
    await Promise.all(others);
    expect(store.written).toHaveLength(2);
    expect(store.pending()).toEqual(['creating a', 'creating b', 'creating c', 'creating d']);
    expect(store.activeMax).toBe(1);
  });

  test('I2 what is finished comes before what is left of the state before', async () => {
    const store = new SlowStore();
    const [old, kept] = [thing('old'), thing('kept')];
    const snapshot = snapshotOn(store, [old, kept]);
    const next = thing('new');
    const done = snapshot.finish(next, {add: true, done: [old]});
    await store.settle();
    await done;
    expect(store.names()).toEqual(['new', 'kept']);
  });

  test('a change that was only noted goes out with flush, and flush writes nothing when nothing changed', async () => {
    const store = new SlowStore();
    const snapshot = snapshotOn(store);
    await snapshot.flush();
    expect(store.written).toHaveLength(0);
    snapshot.note(thing('a'), {add: true});
    const flushed = snapshot.flush();
    await store.settle();
    await flushed;
    expect(store.names()).toEqual(['a']);
  });

  test('a write that fails reaches its callers, its intent is not begun, and the next write has everything else', async () => {
    const store = new SlowStore();
    const snapshot = snapshotOn(store);
    const failed = snapshot.start(thing('a'), 'creating');
    const later = snapshot.finish(thing('b'), {add: true});
    const outcome = expect(failed).rejects.toThrow('no space');
    await store.settle(new Error('no space'));
    await outcome;
    await store.settle();
    await later;
    expect([store.names(), store.pending()]).toEqual([['b'], []]);
    const again = snapshot.finish(thing('c'), {add: true});
    const second = expect(again).rejects.toThrow('no space');
    await store.settle(new Error('no space'));
    await second;
    expect(snapshot.unwritten.map(({id}) => id)).toEqual(['c']);
    const flushed = snapshot.flush();
    await store.settle();
    await flushed;
    expect(store.names()).toEqual(['b', 'c']);
    expect(snapshot.unwritten).toEqual([]);
    expect(snapshot.failure).toMatchObject({message: 'no space'});
  });

  test('a state that changed in place is written anew', async () => {
    const store = new SlowStore();
    const state = thing('a');
    const snapshot = snapshotOn(store, [state]);
    for (const value of [1, 2]) {
      state.outputs = {value};
      const written = snapshot.write();
      await store.settle();
      await written;
    }
    expect(store.written.map(text => JSON.parse(text).resources[0].outputs)).toEqual([{value: 1}, {value: 2}]);
  });
});
