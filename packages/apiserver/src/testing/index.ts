// SPDX-License-Identifier: Apache-2.0
export {faultyStore, type StoreWrite} from './faulty-store.ts';
export {ManualTime} from './manual-time.ts';
export {type Body, MemoryApi, type MemoryApiOptions, type Reply, Resource} from './memory-api.ts';
export {recordingAuditor} from './recording-auditor.ts';
export {sampleKind, sampleKindWith, takingAlong} from './sample-kind.ts';
