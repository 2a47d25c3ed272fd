// SPDX-License-Identifier: Apache-2.0
import {type RecordKind, toLogEntry} from '@palisade/ids-wire';
import type {StoredRecord} from '../records/record-store.ts';

export const FORMATS = ['json', 'logentry', 'ndjson', 'csv'] as const;
export type RecordFormat = (typeof FORMATS)[number];

/** The line or list element of a record. */
export const toItem = (kind: RecordKind, format: RecordFormat, {record, id, endpoint}: StoredRecord): object =>
  format === 'logentry' ? toLogEntry(kind, `${id}@${endpoint.split('/').at(-1)}`, record) : {id, ...record};
