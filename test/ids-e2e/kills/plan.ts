// SPDX-License-Identifier: Apache-2.0
/** What happens in each life of a server, by a seed. */

/** `journal`: when the record store has changed a file's name or cut its log; `reading`: while it reads what is left; `delete`: in a DELETE. */
export const KILLS = ['suricata', 'server', 'both', 'rotation', 'journal', 'reading', 'delete', 'stop'] as const;
export type Kill = {
  readonly kind: (typeof KILLS)[number];
  /** Who is killed where that is not said by the kind, in this order. */
  readonly victims: readonly ('server' | 'suricata')[];
  /** How long packets come before, and how long is waited after what `kind` names. */
  readonly loadMs: number;
  readonly delayMs: number;
  /** How often it is done. */
  readonly times: number;
  readonly burstMax: number;
};

const VICTIMS: readonly Kill['victims'][] = [['server'], ['server', 'suricata'], ['suricata', 'server'], ['server']];

/** Every kind comes once in each `kinds.length` lives. A life is the same however many come after it. */
export const planOf = (lives: number, kinds: readonly Kill['kind'][], random: () => number): Kill[] => {
  const below = (n: number): number => Math.floor(random() * n);
  const plan: Kill[] = [];
  for (let left = [...kinds]; plan.length < lives; left = left.length === 0 ? [...kinds] : left) {
    const kind = left.splice(below(left.length), 1)[0] ?? 'server';
    plan.push({
      kind,
      victims: VICTIMS[below(VICTIMS.length)] ?? ['server'],
      loadMs: 200 + below(1_500),
      delayMs: kind === 'reading' ? below(2_000) : below(60),
      times: 1 + below(2),
      burstMax: [20, 80, 200][below(3)] ?? 20,
    });
  }
  return plan;
};
