// SPDX-License-Identifier: Apache-2.0
/** The real process as a ProviderHost, for composition roots. */
import {randomUUID} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import type {ProviderHost} from './provider.ts';

/** `env`: the environment of the process, with the defaults that the caller adds. */
export function nodeProviderHost(env: Readonly<Record<string, string | undefined>>): ProviderHost {
  return {
    env,
    readFile: path => readFileSync(path, 'utf8'),
    now: Date.now,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      try {
        await sleep(ms, undefined, {signal});
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
    uuid: randomUUID,
  };
}
