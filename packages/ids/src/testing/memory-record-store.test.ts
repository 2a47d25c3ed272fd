// SPDX-License-Identifier: Apache-2.0
import {MemoryRecordStore} from './memory-record-store.ts';
import {recordStoreContract} from './record-store-contract.ts';

recordStoreContract('in memory', async () => ({
  store: new MemoryRecordStore(),
  reopen: undefined,
  end: async () => undefined,
}));
