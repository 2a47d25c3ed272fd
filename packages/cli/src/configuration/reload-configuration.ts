// SPDX-License-Identifier: Apache-2.0
/** What SIGHUP does to the configuration of a running server: what changed, and what became of it. */
import {isDeepStrictEqual} from 'node:util';
import type {ServeConfig} from '@palisade/server/config';
import {LIVE_KEYS, type LivePart} from '@palisade/server/live-keys';
import {UsageError} from '../command-line/io.ts';
import type {Settled} from './settle.ts';

type Log = {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
};
/** By the keys of a server's parts. */
type Outcome = {
  readonly applied: readonly string[];
  readonly failed: readonly string[];
  /** By part: what failed for files that its keys name, or for something in them. */
  readonly reasons: Partial<Record<LivePart, Readonly<Record<string, string>>>>;
};
type Source = {
  readonly read: () => Promise<ServeConfig | undefined>;
  readonly done: (outcome: Outcome) => void;
};

const differing = (running: Settled['values'], next: Settled['values']): string[] =>
  [...next.keys()].filter(path => !isDeepStrictEqual(running.get(path), next.get(path)));

type Reasons = Outcome['reasons'];
const partsOf = (reasons: Reasons): LivePart[] => Object.keys(reasons) as LivePart[];
const keysOf = (reasons: Reasons): string[] => partsOf(reasons).flatMap(part => [...LIVE_KEYS[part]]);
const reasonsFor = (reasons: Reasons): object => (partsOf(reasons).length === 0 ? {} : {reasons});

const isSet = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);

/**
 * `settleAgain` reads the file again and throws UsageError with all faults; nothing changes then. A key that needs a restart is logged at
 * each reload until the server has it. `failed` names keys that changed. Where none of a part did, it has the part with its reasons, or
 * the keys that are set: what their files hold could not be taken.
 */
export const reloadSource = (first: Settled, settleAgain: () => Promise<Settled>, log: Log): Source => {
  const running = new Map(first.values);
  let next: Settled = first;
  return {
    read: async () => {
      try {
        next = await settleAgain();
        return next.config;
      } catch (error) {
        const why = error instanceof UsageError ? {faults: error.message.split('\n')} : {err: error};
        log.error(why, 'configuration reload failed, nothing was changed');
        return undefined;
      }
    },
    done: outcome => {
      const changed = differing(running, next.values);
      const applied = changed.filter(path => outcome.applied.includes(path));
      const {reasons} = outcome;
      const withReason = new Set<string>(keysOf(reasons));
      const failed = outcome.failed.filter(
        path => changed.includes(path) || (!withReason.has(path) && isSet(next.values.get(path))),
      );
      for (const part of partsOf(reasons)) if (!LIVE_KEYS[part].some(key => failed.includes(key))) failed.push(part);
      const needsRestart = changed.filter(path => !applied.includes(path) && !outcome.failed.includes(path));
      for (const path of applied) running.set(path, next.values.get(path));
      const fields = {applied, needsRestart, ...(failed.length === 0 ? {} : {failed}), ...reasonsFor(reasons)};
      if (failed.length === 0) log.info(fields, 'configuration reloaded');
      else log.error(fields, 'configuration reloaded in part');
    },
  };
};
