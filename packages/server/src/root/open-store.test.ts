// SPDX-License-Identifier: Apache-2.0
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {silentLog} from '@palisade/apiserver';
import {StoreError} from '@palisade/store';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {createStoreHealth} from '../parts/store-health.ts';
import type {DataFolder} from '../process/data-folder.ts';
import type {Logger} from '../process/logger.ts';
import {systemTimers} from '../process/system.ts';
import {Closers} from './closers.ts';
import {openStore} from './open-store.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'palisade-test-'));
});
afterEach(() => rmSync(dir, {recursive: true, force: true}));

test('48-5 a stop waits for a step of a compaction, not for all of it', async () => {
  const log = silentLog as unknown as Logger;
  const closers = new Closers(log);
  const parts = {
    folder: {dir, storeFile: join(dir, 'store.sqlite')} as DataFolder,
    health: createStoreHealth(log, systemTimers),
    metrics: {showStore: () => {}},
    reload: {add: () => {}},
  };
  const store = await openStore({historyMs: 60_000}, parts, log, closers);
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const close = store.close.bind(store);
  Object.assign(store, {
    compact: () => {
      begun.resolve();
      return ended.promise;
    },
    close: () => {
      ended.reject(new StoreError('closed', {message: 'the store is closed'}));
      return close();
    },
  });
  await begun.promise;
  await closers.closeAll();
  await expect(store.currentRevision()).rejects.toMatchObject({code: 'closed'});
});
