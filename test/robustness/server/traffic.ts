// SPDX-License-Identifier: Apache-2.0
/** Clients that write and read Endpoints at once: create, replace, patch, delete, get, list in pages. */
import {setTimeout} from 'node:timers/promises';
import type {Call} from '../suite/kv/record.ts';
import {type Random, seededRandom} from '../suite/random.ts';
import type {EndpointsApi} from './endpoints-api.ts';

export const WRITERS = 8;
const KEYS = 18;
const AFTER_FAILURE_MS = 5;

type Deed = (api: EndpointsApi, client: string, of: {key: string; id: string; random: Random}) => Promise<Call>;

const revisionIn = ({answer}: Call): number | undefined =>
  answer?.kind === 'got' ? answer.entry?.revision : undefined;

const DEEDS: readonly (readonly [share: number, Deed])[] = [
  [0.25, (api, client, {key, id}) => api.create(client, key, id)],
  [0.4, (api, client, {key, id}) => api.update(client, key, {id})],
  [
    0.6,
    async (api, client, {key, id}) => {
      const read = await api.get(client, key);
      const expected = revisionIn(read);
      return expected === undefined ? read : api.update(client, key, {id, expected});
    },
  ],
  [0.75, (api, client, {key, id}) => api.patch(client, key, id)],
  [0.84, (api, client, {key}) => api.remove(client, key)],
  [
    0.9,
    async (api, client, {key}) => {
      const read = await api.get(client, key);
      const expected = revisionIn(read);
      return expected === undefined ? read : api.remove(client, key, expected);
    },
  ],
  [0.96, (api, client, {key}) => api.get(client, key)],
  [1, (api, client) => api.list(client)],
];

/** Until it is over. `name`: what makes the ids of this round its own. */
export async function runTraffic(
  api: EndpointsApi,
  of: {name: string; seed: number; isOver: () => boolean},
): Promise<void> {
  const write = async (number: number): Promise<void> => {
    const random = seededRandom(of.seed * 100 + number);
    for (let n = 0; !of.isOver(); n++) {
      const dice = random();
      const key = `k${Math.floor(random() * KEYS)}`;
      const call = await oneOfDeeds(dice)(api, `c${number}`, {key, id: `${of.name}.${number}.${n}`, random});
      if (call.answer === undefined || call.answer.kind === 'refused') await setTimeout(AFTER_FAILURE_MS);
    }
  };
  await Promise.all(Array.from({length: WRITERS}, (_, i) => write(i)));
}

const oneOfDeeds = (dice: number): Deed => {
  const deed = DEEDS.find(([share]) => dice < share)?.[1];
  if (deed === undefined) throw new Error(`no deed for ${dice}`);
  return deed;
};
