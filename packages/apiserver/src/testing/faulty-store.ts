// SPDX-License-Identifier: Apache-2.0
import type {Key, Store} from '@palisade/store';

export type StoreWrite = {readonly op: 'put' | 'delete' | 'txn'; readonly keys: readonly Key[]};

/** A store whose writes ask a test first: what `before` throws is what the write fails with; what it awaits, the write waits for. */
export const faultyStore = (store: Store, before: (write: StoreWrite) => void | Promise<void>): Store => {
  const faulty: Store = Object.create(store);
  const call = <T>(write: StoreWrite, act: () => Promise<T>): Promise<T> =>
    Promise.resolve()
      .then(() => before(write))
      .then(act);
  faulty.put = (key, ...rest) => call({op: 'put', keys: [key]}, () => store.put(key, ...rest));
  faulty.delete = (key, expected) => call({op: 'delete', keys: [key]}, () => store.delete(key, expected));
  faulty.txn = ops => call({op: 'txn', keys: ops.map(({key}) => key)}, () => store.txn(ops));
  for (const name of ['currentRevision', 'get', 'list', 'watch', 'compact', 'compactedRevision', 'close'] as const)
    Object.assign(faulty, {[name]: (store[name] as (...args: unknown[]) => unknown).bind(store)});
  return faulty;
};
