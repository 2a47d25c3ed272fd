// SPDX-License-Identifier: Apache-2.0
/** What is in a folder of records: by its files, and as a store that opens it answers. */
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import type {ClassCounts} from '../../../../packages/ids/src/records/evictions.ts';
import {checkRecords} from '../../../../packages/ids/src/records/sqlite/check/check-records.ts';
import {openSqliteRecordStore} from '../../../../packages/ids/src/records/sqlite/record-store.ts';
import {readAll} from '../../../../packages/ids/src/testing/record-store-contract.ts';
import {BUDGETS, ENDPOINTS} from './traffic.ts';

const EVERY = {project: '-', location: '-', endpointId: '-'};

export type Row = {
  readonly id: string;
  /** TRAFFIC, LOW, … by the name of its file. */
  readonly recordClass: string;
  readonly body: string;
  readonly comments: readonly number[];
};

/** Of one endpoint. `position`: batches, as the store says. */
export type EndpointLook = {
  readonly position: number;
  readonly rows: readonly Row[];
  readonly evidence: ReadonlyMap<string, string>;
  readonly kept: {readonly threats: number; readonly traffic: number};
  /** By class. */
  readonly evicted: ClassCounts;
  readonly lost: ClassCounts;
};

/** `endpoints`: in the order of ENDPOINTS. `faults`: of the check of the folder. */
export type Look = {readonly endpoints: readonly EndpointLook[]; readonly faults: readonly string[]};

const ignore = (): void => undefined;

/** Throws RecordStoreError when the store refuses the folder. */
export async function lookAt(folder: string): Promise<Look> {
  const log = {debug: ignore, info: ignore, warn: ignore, error: ignore};
  const store = openSqliteRecordStore({folder, budgets: BUDGETS, clock: {now: Date.now}, log});
  await store.start();
  const answers: Omit<EndpointLook, 'rows' | 'evidence'>[] = [];
  try {
    for (const kind of ['threats', 'traffic'] as const) await readAll(store, {kind, name: EVERY, filter: ''}); // what is damaged is set aside
    for (const endpoint of ENDPOINTS) {
      const {total, lost} = await store.evictions(endpoint);
      const {threats, traffic} = await store.counts(endpoint);
      const position = (await store.load(endpoint))?.checkpoint?.offset ?? 0;
      answers.push({position, kept: {threats, traffic}, evicted: total, lost});
    }
  } finally {
    await store.close();
  }
  const {faults} = await checkRecords(folder);
  const {rows, evidence, unreadable} = rowsOf(folder);
  return {
    endpoints: answers.map((answer, i) => ({
      ...answer,
      rows: rows.get(i) ?? [],
      evidence: evidence.get(i) ?? new Map<string, string>(),
    })),
    faults: [...unreadable, ...faults.map(({file, message}) => `${file}: ${message}`)],
  };
}

const rowsOf = (folder: string) => {
  const rows = new Map<number, Row[]>(ENDPOINTS.map((_, i) => [i, []]));
  const evidence = new Map<number, Map<string, string>>(ENDPOINTS.map((_, i) => [i, new Map()]));
  const numbers = new Map<unknown, number>();
  const unreadable: string[] = [];
  const read = (file: string, action: (database: DatabaseSync) => void): void => {
    const database = new DatabaseSync(join(folder, file));
    try {
      action(database);
    } catch (error) {
      unreadable.push(`${file}: ${error instanceof Error ? error.message : String(error)}`);
    }
    database.close();
  };
  read('journal.db', journal => {
    for (const {number, name} of journal.prepare('SELECT number, name FROM endpoints').all())
      numbers.set(number, ENDPOINTS.indexOf(String(name)));
  });
  // From the table: a page of an index that is damaged takes no record away, and `faults` has it.
  const sql = 'SELECT endpoint, id, body, triage FROM records NOT INDEXED LEFT JOIN bodies USING (number)';
  for (const file of readdirSync(folder).filter(name => /^[a-z]+-\d{8}-\d+\.db$/.test(name)))
    read(file, database => {
      const [name = ''] = file.split('-');
      if (name === 'evidence')
        for (const {endpoint, id, event} of database.prepare('SELECT * FROM evidence').all())
          evidence.get(numbers.get(endpoint) ?? -1)?.set(String(id), String(event));
      else
        for (const {endpoint, id, body, triage} of database.prepare(sql).all())
          rows.get(numbers.get(endpoint) ?? -1)?.push({
            id: String(id),
            recordClass: name.toUpperCase(),
            body: String(body),
            comments: commentsOf(triage),
          });
    });
  return {rows, evidence, unreadable};
};

const commentsOf = (triage: unknown): number[] =>
  typeof triage === 'string' ? (JSON.parse(triage) as {text: string}[]).map(({text}) => Number(text)) : [];
