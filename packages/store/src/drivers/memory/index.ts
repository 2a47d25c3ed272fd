// SPDX-License-Identifier: Apache-2.0
import {STORE_LIMITS, type StoreLimits} from '../../limits.ts';
import {openLogStore} from '../../log/log-store.ts';
import type {Store} from '../../store.ts';
import {MemoryDriver} from './memory-driver.ts';

/** A store without a disk, for tests and for servers that may forget: it lasts until `close`. */
export const openMemoryStore = (opts: {readonly limits?: Partial<StoreLimits> | undefined} = {}): Promise<Store> =>
  openLogStore(new MemoryDriver(), {limits: {...STORE_LIMITS, ...opts.limits}, defer: setImmediate});
