// SPDX-License-Identifier: Apache-2.0
import {runStoreContract} from '../../testing/index.ts';
import {openMemoryStore} from './index.ts';

runStoreContract('memory', {
  durable: false,
  makePlace: async () => ({open: limits => openMemoryStore({limits}), [Symbol.asyncDispose]: async () => undefined}),
});
