// SPDX-License-Identifier: Apache-2.0
/** Reads every record of a kind for every question. */
import {readdirSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import type {AnyRecord, RecordKind} from '@palisade/ids-wire';
import {aggregateOf} from '../../../testing/memory-record-store.ts';
import {kindOfClass} from '../../evictions.ts';
import type {StoredRecord} from '../../record-store.ts';
import {compareKeys, compileSelection, holdsEndpoint, orderOf, positionOf} from '../../select.ts';
import {triageOf} from '../../triage.ts';
import {inFolder} from '../files.ts';
import {parsePartitionFile} from '../schema.ts';
import type {RecordReader} from './reader.ts';

type Row = {
  readonly endpoint: number;
  readonly id: string;
  readonly written: number;
  readonly changed: number;
  readonly body: string;
  readonly triage: string | null;
};
type Found = {readonly stored: StoredRecord; readonly written: number; readonly changed: number};

const SQL = 'SELECT endpoint, id, written, changed, body, triage FROM records JOIN bodies USING (number)';

const query = <T>(path: string, sql: string, ...params: string[]): T[] => {
  const database = new DatabaseSync(path, {readOnly: true, timeout: 5_000});
  try {
    return database.prepare(sql).all(...params) as T[];
  } finally {
    database.close();
  }
};

export const openPlainReader = (folder: string): RecordReader => {
  const names = (): Map<number, string> =>
    new Map(
      query<{number: number; name: string}>(inFolder(folder, 'journal.db'), 'SELECT number, name FROM endpoints').map(
        ({number, name}) => [number, name],
      ),
    );
  const read = (kind: RecordKind): Found[] => {
    const endpoints = names();
    return readdirSync(folder).flatMap(file => {
      const name = parsePartitionFile(file);
      if (name === undefined || name.recordClass === 'EVIDENCE' || kindOfClass(name.recordClass) !== kind) return [];
      return query<Row>(inFolder(folder, file), SQL).map(({endpoint, id, written, changed, body, triage}) => {
        const record = JSON.parse(body) as AnyRecord;
        const decided = triage === null ? {} : triageOf(JSON.parse(triage));
        const stored = {endpoint: endpoints.get(endpoint) ?? '', id, record: {...record, ...decided} as AnyRecord};
        return {stored, written, changed};
      });
    });
  };
  return {
    page: async request => {
      const order = orderOf(request.kind, request.orderBy);
      const matches = compileSelection(request);
      const compare = compareKeys(order);
      const rows = read(request.kind)
        .filter(({written, stored}) => written <= (request.writtenUntil ?? Number.POSITIVE_INFINITY) && matches(stored))
        .map(({stored}) => ({stored, ...positionOf(stored, order)}))
        .filter(row => request.after === undefined || compare(row, request.after) > 0)
        .sort(compare);
      const page = rows.slice(0, request.limit);
      const last = page.at(-1);
      const next = rows.length > page.length && last !== undefined ? {name: last.name, key: last.key} : undefined;
      return {records: page.map(({stored}) => stored), next};
    },
    get: async (kind, endpoint, id) =>
      read(kind).find(({stored}) => stored.endpoint === endpoint && stored.id === id)?.stored,
    evidence: async (endpoint, id) => {
      const number = [...names()].find(([, name]) => name === endpoint)?.[0];
      const files = readdirSync(folder).filter(file => parsePartitionFile(file)?.recordClass === 'EVIDENCE');
      const sql = `SELECT event FROM evidence WHERE id = ? AND endpoint = ${number ?? -1}`;
      return files.flatMap(file => query<{event: string}>(inFolder(folder, file), sql, id)).at(0)?.event;
    },
    aggregate: async request => {
      const matches = compileSelection(request);
      const found = read(request.kind)
        .map(({stored}) => stored)
        .filter(matches);
      return aggregateOf(request, found);
    },
    changes: async request => {
      const at = ({written, changed}: Found): number => (request.updates ? changed : written);
      const matches = compileSelection(request);
      const rows = read(request.kind)
        .filter(row => at(row) > request.after && at(row) <= request.until)
        .filter(({stored}) => holdsEndpoint(request.name, stored.endpoint))
        .sort((a, b) => at(a) - at(b) || (a.stored.id < b.stored.id ? -1 : 1));
      const edge = rows[request.limit - 1];
      const sequence = rows.length > request.limit && edge !== undefined ? at(edge) : request.until;
      const given = rows.filter(row => at(row) <= sequence);
      return {
        records: given.map(({stored}) => stored).filter(matches),
        sequence,
        isLast: given.length === rows.length,
      };
    },
    backlog: async (kind, after) => read(kind).filter(({written}) => written > after).length,
    close: async () => undefined,
  };
};
