// SPDX-License-Identifier: Apache-2.0
/** Work on a store file while no server runs. */
export {acceptLoss, inspectLog, type LogState} from '../drivers/sqlite/accept-loss.ts';
export {type CheckedStore, type CheckOptions, checkStore, FAULTS_LISTED_MAX, type StoreFault} from './check-store.ts';
export {newestRevision} from './newest-revision.ts';
export {type LostRevisions, type Readable, readableOf, type Salvaged, salvage} from './salvage.ts';
export {type Shrunk, shrinkStore} from './shrink-store.ts';
export {shrinkInThread} from './shrink-thread.ts';
