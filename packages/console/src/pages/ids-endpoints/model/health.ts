// SPDX-License-Identifier: Apache-2.0
/** The health of a sensor in words and tones. */
import type {BlindInterval, EndpointHealthMessage} from '@palisade/ids-wire';
import type {Tone} from '../../../ui/index.ts';

type Status = EndpointHealthMessage['status'];

const WORDS: Readonly<Record<Status, {readonly word: string; readonly tone: Tone}>> = {
  WAITING: {word: 'Waiting', tone: 'neutral'},
  STARTING: {word: 'Starting', tone: 'accent'},
  READY: {word: 'Healthy', tone: 'ok'},
  DEGRADED: {word: 'Degraded', tone: 'warn'},
  FAILED: {word: 'Failed', tone: 'bad'},
};

export const healthWord = (status: string): {readonly word: string; readonly tone: Tone} =>
  WORDS[status as Status] ?? {word: status.toLowerCase(), tone: 'neutral'};

export const isWell = ({status}: Pick<EndpointHealthMessage, 'status'>): boolean => status === 'READY';

const STATE_TONES: Readonly<Record<string, Tone>> = {
  READY: 'ok',
  CREATING: 'accent',
  UPDATING: 'accent',
  DELETING: 'warn',
};
export const stateWord = (state: string): {readonly word: string; readonly tone: Tone} => ({
  word: state === '' ? 'Unknown' : `${state.slice(0, 1)}${state.slice(1).toLowerCase()}`,
  tone: STATE_TONES[state] ?? 'neutral',
});

const PERCENT = 100;

/** `0%`, `<0.01%`, `0.25%`, `12%`. */
export function lossText(ratio: number): string {
  const percent = ratio * PERCENT;
  if (percent === 0) return '0%';
  if (percent < 0.01) return '<0.01%';
  return `${percent.toLocaleString('en', {maximumFractionDigits: percent < 10 ? 2 : 0})}%`;
}

/** `0/s`, `0.43/s`, `12,300/s`. */
export const rateText = (perSecond: number): string =>
  `${perSecond.toLocaleString('en', {maximumFractionDigits: perSecond < 10 ? 2 : 0})}/s`;

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** `45 s`, `3 min 20 s`, `2 h 5 min`: the two largest units. */
export function durationText(seconds: number): string {
  let left = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  if (left > 0 || parts.length === 0) parts.push(`${left} s`);
  return parts.slice(0, 2).join(' ');
}

const SECOND_MS = 1_000;

/** Newest first, with how long each was; one that lasts has no end. */
export const blindTimes = (
  blind: readonly BlindInterval[],
  now: number,
): readonly (BlindInterval & {readonly seconds: number})[] =>
  blind
    .map(one => ({
      ...one,
      seconds: ((one.until === undefined ? now : Date.parse(one.until)) - Date.parse(one.from)) / SECOND_MS,
    }))
    .reverse();
