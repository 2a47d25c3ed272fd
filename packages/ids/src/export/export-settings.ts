// SPDX-License-Identifier: Apache-2.0
/** What settings of exporters are checked against; loads no exporter. */
import {compileFilter, FilterError, type RecordKind} from '@palisade/ids-wire';
import {recordSchema} from '../records/select.ts';

export {pathOf} from './eve/eve-url.ts';
export {type ExportFiles, SHAPES} from './exporter.ts';
export type {ExporterKind} from './exporter-kind.ts';
export {EXPORTERS} from './registry.ts';
export type {ExportFileKey, ExportSettings} from './settings.ts';
export type {RecordKind};

/** Undefined: a filter for records of the kind. */
export const filterFault = (filter: string, kind: RecordKind): string | undefined => {
  try {
    compileFilter(filter, recordSchema(kind));
    return undefined;
  } catch (error) {
    if (error instanceof FilterError) return error.message;
    throw error;
  }
};
