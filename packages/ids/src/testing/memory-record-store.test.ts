// SPDX-License-Identifier: Apache-2.0
import {MemoryRecordStore} from './memory-record-store.ts';
import {type ContractStore, recordStoreContract} from './record-store-contract.ts';
import {triageContract} from './triage-contract.ts';

const open = async (): Promise<ContractStore> => ({
  store: new MemoryRecordStore(),
  reopen: undefined,
  end: async () => undefined,
});

recordStoreContract('in memory', open);
triageContract('in memory', open);
