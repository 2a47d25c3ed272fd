// SPDX-License-Identifier: Apache-2.0
/** Rules that users turned on and off, in the store and so in backups: `/ids/ruleSwitches/SET` → a RuleSwitch for each `gid:sid`. */
import type {RuleSwitch} from '@palisade/ids-wire';
import type {Store} from '@palisade/store';
import {fromBytes, IDS_PREFIX, toBytes} from '../model/keys.ts';

const PREFIX = `${IDS_PREFIX}ruleSwitches/`;
const PAGE = 1_000;

type OfSet = Readonly<Record<string, RuleSwitch>>;

/** As the sensor host wants it. */
export type KeptSwitches = {
  /** By the configured name of the set. */
  read(): Promise<Readonly<Record<string, OfSet>>>;
  /** Durable when it resolves. */
  save(set: string, switches: OfSet): Promise<void>;
};

export const keptSwitches = (store: Store): KeptSwitches => ({
  read: async () => {
    const found: Record<string, OfSet> = {};
    for (let after: string | undefined; ; ) {
      const {entries, remaining} = await store.list(PREFIX, {after, limit: PAGE});
      for (const {key, value} of entries) found[key.slice(PREFIX.length)] = fromBytes(value) as OfSet;
      after = entries.at(-1)?.key;
      if (remaining === 0) return found;
    }
  },
  save: async (set, switches) => {
    await store.put(`${PREFIX}${set}`, toBytes(switches));
  },
});
