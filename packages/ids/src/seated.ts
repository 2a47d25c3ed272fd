// SPDX-License-Identifier: Apache-2.0
/** Seats of the requests of this API: shared with the Kubernetes side, by the user who showed the credential. */
import {type Client, type Fairness, withSeats} from '@palisade/apiserver';
import type {Caller} from './auth.ts';

/** What a request takes: little; a search through records, which takes a quarter of its priority level; or a stream or a wait, which holds no seat and has a bound of its own. */
export type Work = 'short' | 'search' | 'long-running';

/** More than a level has: as much as one request may hold. */
const SEARCH_SEATS = 1_000_000;

type Seated = {
  readonly caller: Caller;
  readonly path: string;
  readonly from: string | undefined;
  readonly mutates: boolean;
  readonly client: Client;
};

/** Throws StatusError 429, ClientGoneError, and what `run` throws. */
export const seated = <T>(
  fairness: Fairness,
  work: Work,
  {caller, path, from, mutates, client}: Seated,
  run: () => Promise<T>,
): Promise<T> => {
  if (work === 'long-running') return run();
  const asked = {user: caller.requestor, path, verb: '', heartbeats: false, from};
  return withSeats(fairness, {asked, width: work === 'search' ? SEARCH_SEATS : 1, mutates, client}, run);
};
