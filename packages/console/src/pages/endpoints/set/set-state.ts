// SPDX-License-Identifier: Apache-2.0
/** How a set is, in a word. */
import type {Endpoints} from '@palisade/client/browser';
import {numberText} from '../../../ui/data/number-text.ts';
import {toEndpointsRow} from '../row.ts';

export const ENDPOINTS_TYPE = {apiVersion: 'v1', kind: 'Endpoints'} as const;

export type SetState = {
  readonly ready: number;
  readonly total: number;
  readonly word: string;
  readonly tone: 'ok' | 'warn' | 'bad' | 'neutral';
};

export function setStateOf(object: Endpoints): SetState {
  const {ready, total, failing} = toEndpointsRow(object);
  const counts = {ready, total};
  if (object.metadata?.deletionTimestamp !== undefined) return {...counts, word: 'Being deleted', tone: 'warn'};
  if (total === 0) return {...counts, word: 'No addresses', tone: 'neutral'};
  if (ready === 0) return {...counts, word: 'Not ready', tone: 'bad'};
  if (failing.length > 0) return {...counts, word: 'Partly ready', tone: 'warn'};
  return {...counts, word: 'Ready', tone: 'ok'};
}

/** `The set has 3 addresses, 2 of them ready.` */
export function addressesText({ready, total}: Pick<SetState, 'ready' | 'total'>): string {
  if (total === 0) return 'The set has no addresses.';
  if (total === 1) return `The set has 1 address, which is ${ready === 1 ? 'ready' : 'not ready'}.`;
  return `The set has ${numberText(total)} addresses, ${numberText(ready)} of them ready.`;
}
