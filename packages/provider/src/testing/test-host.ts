// SPDX-License-Identifier: Apache-2.0
/** A ProviderHost for tests: no environment, no files, a clock that moves by itself. */
import {type ManualClock, manualClock} from '@palisade/client/testing';
import type {ProviderHost} from '../provider.ts';

/** Sleeps from this length on are the bounds of whole calls: they end only when the pauses add up to them. */
const CALL_BOUND_MS = 5_000;

export type TestHost = ProviderHost & {readonly clock: ManualClock};

export function testHost(env: Record<string, string> = {}, files: Record<string, string> = {}): TestHost {
  const clock = manualClock(CALL_BOUND_MS);
  let uuids = 0;
  return {
    env,
    clock,
    now: () => clock.now(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    readFile: path => {
      const text = files[path];
      if (text === undefined)
        throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), {code: 'ENOENT'});
      return text;
    },
    uuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`,
  };
}

export const urnOf = (type: string, name: string): string => `urn:pulumi:dev::shop::${type}::${name}`;
