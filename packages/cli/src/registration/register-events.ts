// SPDX-License-Identifier: Apache-2.0
/** What `palisade register` reports, as lines for people and as JSON. */
import {durationText} from '../command-line/durations.ts';
import {hostOf} from './holder.ts';
import {nameText} from './objects.ts';

export type RegisterEvent =
  | {
      readonly event: 'registered';
      readonly group: string;
      readonly addresses: readonly string[];
      readonly ttlSeconds: number;
    }
  /** Registered, but not a member as things are. */
  | {readonly event: 'warning'; readonly message: string}
  /** The Lease is of another machine, which may be gone: until it is known. */
  | {readonly event: 'waiting'; readonly holder: string; readonly seconds: number}
  /** The first of a row of failures. */
  | {readonly event: 'renewal-failed'; readonly error: string}
  | {readonly event: 'back'; readonly failures: number}
  | {readonly event: 'draining'; readonly seconds: number}
  /** `deleted`: false where the server did not take it; `error` says why. */
  | {readonly event: 'left'; readonly deleted: boolean; readonly error?: string; readonly ttlSeconds: number};

export const eventText = (name: string, event: RegisterEvent): string => {
  const said = nameText(name);
  switch (event.event) {
    case 'registered': {
      const {group, addresses, ttlSeconds} = event;
      return `${said} registered in the group ${group} at ${addresses.join(', ')}, with a TTL of ${durationText(ttlSeconds)}`;
    }
    case 'warning':
      return `warning: ${event.message}`;
    case 'waiting':
      return `${said} is held by ${hostOf(event.holder)}; waiting ${durationText(event.seconds)} to see whether it still renews`;
    case 'renewal-failed':
      return `${event.error}; trying again until the server answers`;
    case 'back':
      return `the server answers again after ${event.failures} failed ${event.failures === 1 ? 'try' : 'tries'}`;
    case 'draining':
      return `${said} is draining; leaving in ${durationText(event.seconds)}`;
    case 'left':
      return event.deleted
        ? `${said} left its group`
        : `${said} was not deleted: ${event.error ?? ''}; it expires ${durationText(event.ttlSeconds)} after its last renewal`;
  }
};
