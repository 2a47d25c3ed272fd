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
