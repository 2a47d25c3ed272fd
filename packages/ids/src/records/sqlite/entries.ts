// SPDX-License-Identifier: Apache-2.0
/** Entries of the redo log: what was committed, as it came, and the files that its parts go to. */
import type {RecordKind} from '@palisade/ids-wire';
import {recordIdOf, timeOfId} from '../record-id.ts';
import type {RecordBatch, RecordWrite} from '../record-sink.ts';
import type {TriageEvents} from '../triage.ts';
import type {RedoRow} from './journal.ts';
import type {EvidenceWork, PlacedWork, RecordWork, Work} from './work.ts';

type BatchWork = RecordWork | EvidenceWork;

/** `endpoint`: its number. */
export type Decision = {readonly endpoint: number; readonly id: string; readonly events: TriageEvents};

/** `of`: for each part its place among the files. */
type Places = {readonly files: readonly string[]; readonly of: readonly number[]};

/** A part of an entry, which goes to one file. */
type Part = {readonly file: string; readonly work: Work};

export type Entry = Omit<RedoRow, 'places'> & {readonly parts: readonly Part[]};

const KINDS: readonly RecordKind[] = ['threats', 'traffic'];

/** In the order in which they are in the entry: the records, and behind a threat its evidence. */
export const worksOfBatch = (batch: RecordBatch, endpoint: number, sequence: number): readonly BatchWork[] =>
  KINDS.flatMap(kind =>
    (batch[kind] as readonly RecordWrite<RecordBatch[typeof kind][number]['record']>[]).flatMap(
      ({id: event, record, evidence}): BatchWork[] => {
        const id = recordIdOf(event, record);
        const at = timeOfId(id) ?? 0;
        const work: BatchWork = {what: 'record', sequence, kind, endpoint, id, at, record};
        return evidence === undefined || kind !== 'threats'
          ? [work]
          : [work, {what: 'evidence', endpoint, id, at, event: evidence}];
      },
    ),
  );

const worksOfDecisions = (decisions: readonly Decision[], sequence: number): readonly Work[] =>
  decisions.map(decision => ({what: 'triage', sequence, ...decision}));

export const batchEntry = (
  {sequence, text, works}: {readonly sequence: number; readonly text: string; readonly works: readonly BatchWork[]},
  fileOf: (work: BatchWork) => string,
): Entry => ({sequence, kind: 'batch', entry: text, parts: works.map(work => ({file: fileOf(work), work}))});

export const decisionEntry = (sequence: number, decisions: readonly (Decision & {readonly file: string})[]): Entry => {
  const plain = decisions.map(({endpoint, id, events}): Decision => ({endpoint, id, events}));
  const parts = worksOfDecisions(plain, sequence).map((work, i) => ({file: decisions[i]?.file ?? '', work}));
  return {sequence, kind: 'triage', entry: JSON.stringify(plain), parts};
};

export const toRow = ({parts, ...entry}: Entry): RedoRow => {
  const numbers = new Map<string, number>();
  const of = parts.map(({file}) => {
    const number = numbers.get(file) ?? numbers.size;
    numbers.set(file, number);
    return number;
  });
  const places: Places = {files: [...numbers.keys()], of};
  return {...entry, places: JSON.stringify(places)};
};

/** As it was committed. `numberOf`: of the endpoint, by its name. */
export const fromRow = ({places: text, ...row}: RedoRow, numberOf: (endpoint: string) => number): Entry => {
  const {files, of} = JSON.parse(text) as Places;
  const content = JSON.parse(row.entry) as RecordBatch | readonly Decision[];
  const works = Array.isArray(content)
    ? worksOfDecisions(content as readonly Decision[], row.sequence)
    : batchWorks(content as RecordBatch, row.sequence, numberOf);
  return {...row, parts: works.map((work, i) => ({file: files[of[i] ?? 0] ?? '', work}))};
};

const batchWorks = (
  batch: RecordBatch,
  sequence: number,
  numberOf: (endpoint: string) => number,
): readonly BatchWork[] => worksOfBatch(batch, numberOf(batch.endpoint), sequence);

/** With other places for what was in some files. */
export const movedRow = (row: RedoRow, moved: ReadonlyMap<string, string>): RedoRow => {
  const {files, of} = JSON.parse(row.places) as Places;
  return {...row, places: JSON.stringify({files: files.map(file => moved.get(file) ?? file), of})};
};

export const byFile = (entries: readonly Entry[]): PlacedWork => {
  const works = new Map<string, Work[]>();
  for (const {parts} of entries)
    for (const {file, work} of parts) {
      const known = works.get(file);
      if (known === undefined) works.set(file, [work]);
      else known.push(work);
    }
  return works;
};
