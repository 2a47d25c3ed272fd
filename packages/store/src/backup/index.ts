// SPDX-License-Identifier: Apache-2.0
/** Copies of a store, and a store from a copy. Knows no archive: see packages/server/src/backup. */
export {decodeBlock, EntryFormatError, encodeBlocks} from './entry-blocks.ts';
export {type Snapshot, takeSnapshot} from './snapshot.ts';
export {StoreFileWriter} from './write-store-file.ts';
