// SPDX-License-Identifier: Apache-2.0
/** The model of one key, for linearize.ts: what a client may be answered in which state. */
import type {Operation} from './linearize.ts';
import {type Call, type KvRecord, type Step, stepsOf, type Version} from './record.ts';
import type {Timeline} from './timeline.ts';

export type Register = {
  /** Undefined: the key is absent. */
  readonly id: string | undefined;
  /** The revision of the value, 0 when absent, NaN when nobody saw it. */
  readonly revision: number;
  /** The newest revision of a change that is known. */
  readonly last: number;
};
export const ABSENT: Register = {id: undefined, revision: 0, last: 0};
export const keyOfRegister = ({id, revision, last}: Register): string => `${id} ${revision} ${last}`;

type Times = Pick<Operation<Register>, 'called' | 'answered' | 'over'>;

const isAbsent = (state: Register): boolean => state.id === undefined;
const holds = (step: Step, state: Register): boolean =>
  step.expected === undefined ||
  step.expected === state.revision ||
  (step.op === 'put' && step.orAbsent === true && isAbsent(state));
const canBegin = (step: Step, state: Register): boolean =>
  holds(step, state) && !(isAbsent(state) && (step.op === 'delete' || step.exists === true));

const applied = (step: Step, state: Register, revision: number | undefined): Register | undefined => {
  if (!canBegin(step, state)) return undefined;
  if (revision !== undefined && revision <= state.last) return undefined;
  const last = revision ?? state.last;
  if (step.op === 'delete') return {id: undefined, revision: 0, last};
  return {id: step.id, revision: revision ?? Number.NaN, last};
};

const read = (entry: Version | undefined, state: Register): Register | undefined => {
  if (entry === undefined) return state.id === undefined ? state : undefined;
  return state.id === entry.id && state.revision === entry.revision ? state : undefined;
};

const label = (what: string, {client, called, answered}: Times & {client: string}): string =>
  `${client} ${what} [${called}, ${answered === Infinity ? '?' : answered}]`;

/** A write, as one of its keys sees it. Where the value was seen although the answer was not, it was done, at that revision. */
function writeOf(call: Call, step: Step, timeline: Timeline): Operation<Register> | undefined {
  const {answer, called, over} = call;
  const what = step.op === 'put' ? `put ${step.key}=${step.id}` : `delete ${step.key}`;
  const seen = step.op === 'put' ? timeline.revisionsOf(step.id)[0] : undefined;
  const unanswered = answer === undefined;
  const answered = unanswered && seen !== undefined ? over : call.answered;
  const times = {called, answered, over};
  const name = label(`${what} if @${step.expected ?? 'any'}`, {...times, client: call.client});
  if (answer?.kind === 'conflict') {
    if (stepsOf(call).length > 1) return undefined; // of which key is not known
    return {
      ...times,
      hint: called,
      label: `${name} refused`,
      step: state => (canBegin(step, state) ? undefined : state),
    };
  }
  if (answer?.kind === 'refused') return undefined;
  const revision = answer?.kind === 'written' ? (answer.revision ?? seen) : seen;
  return {
    ...times,
    hint: revision ?? called,
    label: `${name} @${revision}`,
    step: state => applied(step, state, revision),
  };
}

/** All calls that concern a key. Reads of an older revision are not among them: see serializable. */
export function operationsByKey(record: KvRecord, timeline: Timeline): Map<string, Operation<Register>[]> {
  const byKey = new Map<string, Operation<Register>[]>(timeline.keys.map(key => [key, []]));
  const add = (key: string, operation: Operation<Register> | undefined): void => {
    if (operation === undefined) return;
    const list = byKey.get(key);
    if (list === undefined) byKey.set(key, [operation]);
    else list.push(operation);
  };
  const addRead = (key: string, entry: Version | undefined, at: Times & {client: string}): void =>
    add(key, {
      called: at.called,
      answered: at.answered,
      over: at.over,
      hint: entry?.revision ?? at.called,
      label: label(`read ${key}=${entry?.id} @${entry?.revision ?? 0}`, at),
      step: state => read(entry, state),
    });
  const addList = (prefix: string, entries: readonly Version[], at: Times & {client: string}): void => {
    const found = new Map(entries.map(entry => [entry.key, entry]));
    for (const key of timeline.keys) if (key.startsWith(prefix)) addRead(key, found.get(key), at);
  };
  for (const call of record.calls) {
    const {request, answer} = call;
    for (const step of stepsOf(call)) add(step.key, writeOf(call, step, timeline));
    if (request.kind === 'get' && request.at === undefined && answer?.kind === 'got')
      addRead(request.key, answer.entry, call);
    if (request.kind === 'list' && request.at === undefined && answer?.kind === 'listed')
      addList(request.prefix, answer.entries, call);
  }
  for (const {prefix, entries, round, at} of record.audits)
    addList(prefix, entries, {client: `start of round ${round}`, called: at, answered: at + 0.5, over: Infinity});
  return byKey;
}
