// SPDX-License-Identifier: Apache-2.0
export * from './auth.ts';
export * from './ids-api/create-ids-api.ts';
export {RECORD_AGE_MAX_MS, RECORDS_MAX, RECORDS_PER_ENDPOINT_MAX} from './limits.ts';
export {
  createRecordStore,
  type RecordRetention,
  type RecordStore,
  type RecordStoreOptions,
} from './records/record-store.ts';
export * from './sensor-host.ts';
export type {LocationConfig} from './state/service.ts';
