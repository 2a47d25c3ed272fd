// SPDX-License-Identifier: Apache-2.0
export {runStoreContract} from './contract.ts';
export {StoreModel} from './store-model.ts';
export {bytes, line, listAll, type StorePlace, type StoreUnderTest, text, WatchRecorder} from './under-test.ts';
export * from './watch-validators.ts';
