// SPDX-License-Identifier: Apache-2.0
/** A page of records, or all that match, in time order or in the order asked for. */
import type {AnyRecord, RecordKind} from '@palisade/ids-wire';
import {RECORDS_PAGE} from '../limits.ts';
import {type ListQuery, type ListRequest, parseListRequest} from '../list-page.ts';
import type {RecordSelection, RecordStore, StoredRecord} from './record-store.ts';
import {recordSchema} from './select.ts';

export type RecordRequest = ListRequest & {readonly sinceMs: number | undefined; readonly untilMs: number | undefined};

/** Throws INVALID_ARGUMENT for a bad filter, order, size or token. */
export const parseRecordRequest = (kind: RecordKind, name: string, request: RecordRequest): ListQuery<AnyRecord> =>
  parseListRequest(request, recordSchema(kind), [
    kind,
    name,
    String(request.sinceMs ?? ''),
    String(request.untilMs ?? ''),
  ]);

/** Everything that a selection holds, oldest first, page by page. `writtenUntil`: see PageRequest. */
export async function* matchingRecords(
  records: RecordStore,
  selection: RecordSelection,
  writtenUntil?: number,
): AsyncGenerator<readonly StoredRecord[]> {
  for (let after: Awaited<ReturnType<RecordStore['page']>>['next']; ; ) {
    const page = await records.page({...selection, orderBy: '', after, limit: RECORDS_PAGE, writtenUntil});
    if (page.records.length > 0) yield page.records;
    if (page.next === undefined) return;
    after = page.next;
  }
}

export const listRecords = async (
  records: RecordStore,
  selection: RecordSelection,
  request: RecordRequest,
  query: ListQuery<AnyRecord>,
): Promise<{readonly records: readonly StoredRecord[]; readonly nextPageToken: string}> => {
  const {orderBy} = request;
  const page = await records.page({...selection, orderBy, after: query.position, limit: query.pageSize});
  return {records: page.records, nextPageToken: page.next === undefined ? '' : query.token(page.next)};
};
