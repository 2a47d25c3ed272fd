// SPDX-License-Identifier: Apache-2.0
/** How a set is, in a word. */
import type {Endpoints} from '@palisade/client/browser';
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
