// SPDX-License-Identifier: Apache-2.0
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {runStoreContract} from '../../testing/index.ts';
import {openSqliteStore} from './index.ts';

runStoreContract('sqlite', {
  durable: true,
  makePlace: async () => {
    const dir = await mkdtemp(join(tmpdir(), 'palisade-store-'));
    return {
      open: limits => openSqliteStore({dir, limits}),
      [Symbol.asyncDispose]: () => rm(dir, {recursive: true}),
    };
  },
});
