// SPDX-License-Identifier: Apache-2.0

export type {ExporterHealth} from '@palisade/ids-wire';
export * from './auth.ts';
export type {Exporter} from './export/exporter.ts';
export {openExporter} from './export/open-exporter.ts';
export {forgetExporters} from './export/positions.ts';
export {ExporterRunner} from './export/run-exporter.ts';
export * from './ids-api/create-ids-api.ts';
export {type CopiedFile, type RecordStore, RecordStoreError} from './records/record-store.ts';
export {
  type CheckedRecords,
  type CheckRecordsOptions,
  checkRecords,
  type RecordsFault,
} from './records/sqlite/check/check-records.ts';
export {openSqliteRecordStore, type SqliteRecordStoreOptions} from './records/sqlite/record-store.ts';
export {type KeptSwitches, keptSwitches} from './rules/kept-switches.ts';
export * from './sensor-host.ts';
export type {LocationConfig} from './state/service.ts';
