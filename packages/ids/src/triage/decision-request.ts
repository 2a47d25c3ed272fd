// SPDX-License-Identifier: Apache-2.0
/** Bodies of decisions about threats. Each function throws INVALID_ARGUMENT with all faults. */
import {compileFilter, FilterError, parseTimestamp, THREAT_LIST} from '@palisade/ids-wire';
import {COMMENT_CHARS_MAX} from '../limits.ts';
import type {RecordSelection, TriageChange} from '../records/record-store.ts';
import {type Body, objectOf, unknownFields} from '../request-body.ts';
import {invalidArgument} from '../rpc-error.ts';

export type TriageAction = TriageChange['action'];

/** What `*` as a filter stands for: all records, which has to be said. */
const ALL = '*';

export type BatchRequest = Pick<RecordSelection, 'sinceMs' | 'untilMs' | 'filter'> & {
  readonly comment: string | undefined;
  readonly validateOnly: boolean;
};

/** Control characters but tab and line feed, line separators of Unicode, and what turns the direction of the text around it. */
const CONTROL = /[\u2028\u2029\u202A-\u202E\u2066-\u2069]|(?![\t\n])\p{Cc}/u;

/** Lines end as they do everywhere in the product. */
const commentOf = ({comment}: Body): unknown =>
  typeof comment === 'string' ? comment.replaceAll('\r\n', '\n') : comment;

const commentFault = (comment: unknown, isRequired: boolean): string | undefined => {
  if (comment === undefined) return isRequired ? 'is required: what there is to say about the threat' : undefined;
  if (typeof comment !== 'string') return 'must be a string';
  if (comment.trim() === '') return 'must not be empty';
  const characters = [...comment];
  if (characters.length > COMMENT_CHARS_MAX)
    return `has ${characters.length} characters; at most ${COMMENT_CHARS_MAX} are kept`;
  if (!comment.isWellFormed()) return 'is not valid Unicode: it has half of a surrogate pair';
  const control = CONTROL.exec(comment);
  if (control === null) return undefined;
  const code = control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return `has the control character U+${code}; remove it`;
};

/** `{"comment"?}`; the comment is required for the action `comment`. */
export const parseDecision = (given: unknown, action: TriageAction): string | undefined => {
  const body = objectOf(given);
  const comment = commentOf(body);
  const fault = commentFault(comment, action === 'comment');
  const violations = [
    ...unknownFields(body, ['comment']),
    ...(fault === undefined ? [] : [{field: 'comment', description: fault}]),
  ];
  if (violations.length > 0) throw invalidArgument(violations);
  return comment as string | undefined;
};

/** Which records an action changes; every one takes a comment. */
const OPEN: Readonly<Record<TriageAction, string | undefined>> = {
  acknowledge: 'acknowledged=false',
  unacknowledge: 'acknowledged=true',
  escalate: 'escalated=false',
  deescalate: 'escalated=true',
  comment: undefined,
};

/** The filter, and the term of the records that the action changes. AND binds less than all else in a filter. */
export const openFilter = (filter: string, action: TriageAction): string => {
  const term = OPEN[action];
  if (term === undefined) return filter;
  return filter === '' ? term : `${filter} AND ${term}`;
};

const filterFault = (filter: unknown, action: TriageAction): string | undefined => {
  if (filter === undefined || filter === '')
    return `is required: which records to ${action === 'comment' ? 'comment on' : action}, such as alert_severity<=LOW; "${ALL}" stands for all`;
  if (typeof filter !== 'string') return 'must be a string';
  if (filter.trim() === '') return `must not be blank; "${ALL}" stands for all records`;
  const given = filter.trim() === ALL ? '' : filter;
  const fault = faultOfFilter(given);
  if (fault !== undefined) return fault;
  const more = faultOfFilter(openFilter(given, action));
  return more === undefined ? undefined : `with the term ${OPEN[action]}, which is added to it: ${more}; shorten it`;
};

const faultOfFilter = (filter: string): string | undefined => {
  try {
    compileFilter(filter, THREAT_LIST);
    return undefined;
  } catch (error) {
    if (error instanceof FilterError) return error.message;
    throw error;
  }
};

const timeFault = (time: unknown): string | undefined => {
  if (time === undefined || time === '') return undefined;
  if (typeof time !== 'string') return 'must be a string';
  return parseTimestamp(time) === undefined
    ? `"${time}" is not an RFC 3339 time such as 2024-05-27T22:22:32Z`
    : undefined;
};

const timeOf = (time: unknown): number | undefined =>
  typeof time === 'string' && time !== '' ? parseTimestamp(time) : undefined;

const BATCH_FIELDS = ['filter', 'since', 'until', 'comment', 'validateOnly'] as const;

/** `{"filter", "since"?, "until"?, "comment"?, "validateOnly"?}`; the comment is required for the action `comment`. */
export const parseBatch = (given: unknown, action: TriageAction): BatchRequest => {
  const body = objectOf(given);
  const {filter, since, until, validateOnly = false} = body;
  const comment = commentOf(body);
  const faults: Readonly<Record<(typeof BATCH_FIELDS)[number], string | undefined>> = {
    filter: filterFault(filter, action),
    since: timeFault(since),
    until: timeFault(until),
    comment: commentFault(comment, action === 'comment'),
    validateOnly: typeof validateOnly === 'boolean' ? undefined : 'must be true or false',
  };
  const [sinceMs, untilMs] = [timeOf(since), timeOf(until)];
  const violations = [
    ...unknownFields(body, BATCH_FIELDS),
    ...BATCH_FIELDS.flatMap(field => (faults[field] === undefined ? [] : [{field, description: faults[field]}])),
    ...(sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs
      ? [{field: 'until', description: `"${until}" is not after since, "${since}"`}]
      : []),
  ];
  if (violations.length > 0) throw invalidArgument(violations);
  const text = filter as string;
  return {
    filter: text.trim() === ALL ? '' : text,
    sinceMs,
    untilMs,
    comment: comment as string | undefined,
    validateOnly: validateOnly as boolean,
  };
};
