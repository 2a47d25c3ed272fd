// SPDX-License-Identifier: Apache-2.0
import type {RuleMessage} from '@palisade/ids-wire';
import {absoluteText, parseTime} from '../../ui/data/time-text.ts';

type Reasoned = Pick<RuleMessage, 'reason' | 'switched'>;

/** Why a rule is not loaded, in the server's words, around the time at which somebody switched it. */
export type ReasonParts = {
  readonly before: string;
  /** RFC 3339; undefined: the reason has no time, and `before` is all of it. */
  readonly time: string | undefined;
  readonly after: string;
};

export function reasonParts({reason, switched}: Reasoned): ReasonParts {
  const time = switched?.time ?? '';
  const at = time === '' ? -1 : reason.indexOf(time);
  if (at < 0) return {before: reason, time: undefined, after: ''};
  return {before: reason.slice(0, at), time, after: reason.slice(at + time.length)};
}

/** The same as one text, for tooltips. */
export function reasonText(rule: Reasoned): string {
  const {before, time, after} = reasonParts(rule);
  const ms = parseTime(time);
  return `${before}${ms === undefined ? (time ?? '') : absoluteText(ms)}${after}`;
}
