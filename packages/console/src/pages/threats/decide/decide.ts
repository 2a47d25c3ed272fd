// SPDX-License-Identifier: Apache-2.0
/** Decisions about selected threats, one after the other, and their words. */

import type {IdsClient, ThreatAction} from '@palisade/client/browser';
import {errorText, isForbidden} from '../../../api/words.ts';
import {countText, numberText} from '../../../ui/data/number-text.ts';
import type {Threat} from '../model/threat-row.ts';

export type ActionWords = {
  /** On buttons. */
  readonly does: string;
  /** Before a number of threats. */
  readonly asks: string;
  readonly did: string;
};
export const ACTION_WORDS: Readonly<Record<ThreatAction, ActionWords>> = {
  acknowledge: {does: 'Acknowledge', asks: 'Acknowledge', did: 'acknowledged'},
  unacknowledge: {does: 'Undo the acknowledgement', asks: 'Undo the acknowledgement of', did: 'open again'},
  escalate: {does: 'Escalate', asks: 'Escalate', did: 'escalated'},
  deescalate: {does: 'Undo the escalation', asks: 'Undo the escalation of', did: 'no longer escalated'},
  comment: {does: 'Comment', asks: 'Comment on', did: 'commented'},
};

const threatsText = (count: number): string => countText(count, 'threat');

/** `1 threat`, `1,204 threats`. */
export {threatsText};

/** The question of the dialog. `matched`: undefined: not known yet. */
export function titleText(action: ThreatAction, matched: number | undefined): string {
  const threats = matched === undefined ? 'threats' : threatsText(matched);
  return `${ACTION_WORDS[action].asks} ${threats}${action === 'comment' ? '' : '?'}`;
}

/** What happened, in a sentence. */
export function doneText(action: ThreatAction, changed: number, matched: number): string {
  const {did} = ACTION_WORDS[action];
  const same = matched - changed;
  return `${threatsText(changed)} ${did}${same > 0 ? `, ${numberText(same)} already ${same === 1 ? 'was' : 'were'}` : ''}`;
}

/** How many match, and of these those that are not decided so already. */
export function matchText({matched, changed}: {readonly matched: number; readonly changed: number}): string {
  const all = `${threatsText(matched)} ${matched === 1 ? 'matches' : 'match'} the filter, including any that the table does not show.`;
  if (changed === matched) return all;
  if (matched === 1) return `${all} It does not change.`;
  return `${all} ${numberText(changed)} of them ${changed === 1 ? 'changes' : 'change'}.`;
}

export type Failure = {readonly name: string; readonly text: string};
export type Progress = {readonly done: number; readonly failures: readonly Failure[]};

const SHOWN_FAILURES = 3;
/** How many failed, and why. */
export function failedText(done: number, failures: Progress['failures']): string {
  const texts = [...new Set(failures.map(({text}) => text))];
  const rest = texts.length - SHOWN_FAILURES;
  const more = rest > 0 ? [`and ${countText(rest, 'other reason')}`] : [];
  const head = `${threatsText(failures.length)} failed, ${done} done.`;
  return [head, ...texts.slice(0, SHOWN_FAILURES), ...more].join('\n');
}

/** `…/endpoints/E/threats/ID` → the endpoint and the id. */
function partsOf(name: string): {readonly endpoint: string; readonly id: string} {
  const at = name.lastIndexOf('/threats/');
  return {endpoint: name.slice(0, at), id: name.slice(at + '/threats/'.length)};
}

const AT_ONCE = 4;

/**
 * Asks for one decision after the other, few at a time, and continues after one that fails; a right that is missing ends it. Resolves
 * to the progress at the end, or when `signal` aborts.
 */
export async function decideEach(
  client: Pick<IdsClient, 'decideThreat'>,
  request: {readonly names: readonly string[]; readonly action: ThreatAction; readonly comment: string | undefined},
  options: {
    readonly signal: AbortSignal;
    readonly onDecided: (threat: Threat) => void;
    readonly onProgress: (progress: Progress) => void;
  },
): Promise<Progress> {
  const {names, action, comment} = request;
  const {signal} = options;
  const failures: Failure[] = [];
  let [next, done, isRefused] = [0, 0, false];
  const work = async (): Promise<void> => {
    for (let name = names[next++]; name !== undefined && !signal.aborted && !isRefused; name = names[next++]) {
      const {endpoint, id} = partsOf(name);
      try {
        options.onDecided(await client.decideThreat(endpoint, id, action, comment, {signal}));
        done++;
      } catch (error) {
        if (signal.aborted) return;
        failures.push({name, text: errorText(error)});
        isRefused ||= isForbidden(error);
      }
      options.onProgress({done, failures: [...failures]});
    }
  };
  await Promise.all(Array.from({length: AT_ONCE}, work));
  return {done, failures};
}
