// SPDX-License-Identifier: Apache-2.0
import type {Timer, Timers} from '../ports.ts';
import type {RuleSet} from '../rules/rule-set.ts';
import {readCatalog} from './catalog.ts';
import {bySid, type RuleView, viewOf} from './rule-view.ts';

/** How long rules are kept after the last time they were asked for: the pages of a list come one after the other. */
const KEPT_MS = 30_000;
/** Rules that are parsed in one turn of the event loop. */
const RULES_PER_TURN = 50;

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

type Compiled = Pick<RuleSet, 'folder' | 'extras'>;

/** By sid. */
export const readRules = async ({folder, extras}: Compiled): Promise<readonly RuleView[]> => {
  const more = new Map(extras.classtypes.map(classtype => [classtype.name, classtype]));
  const rules = await readCatalog(folder);
  const views: RuleView[] = [];
  for (let from = 0; from < rules.length; from += RULES_PER_TURN) {
    if (from > 0) await nextTurn();
    views.push(...rules.slice(from, from + RULES_PER_TURN).map(rule => viewOf(rule, more)));
  }
  return views.sort(bySid);
};

/** The active one of several with that id; undefined: the set has none. */
export const readRule = async ({folder, extras}: Compiled, id: string): Promise<RuleView | undefined> => {
  const more = new Map(extras.classtypes.map(classtype => [classtype.name, classtype]));
  const sid = Number(id.slice(id.indexOf(':') + 1));
  const hasSid = new RegExp(`(?<!\\d)0*${sid}(?!\\d)`);
  const rules = await readCatalog(folder, line => line.includes(String(sid)) && hasSid.test(line)); // a parse of all blocks others
  return activeOf(
    rules.map(rule => viewOf(rule, more)),
    id,
  );
};

const activeOf = (views: readonly RuleView[], id: string): RuleView | undefined => {
  const found = views.filter(({ruleId}) => ruleId === id);
  return found.find(({state}) => state === 'ACTIVE') ?? found[0];
};

type Kept = {readonly views: Promise<readonly RuleView[]>; timer: Timer | undefined};

/** The rules of compiled sets, kept while they are being asked for. */
export class CatalogReader {
  readonly #timers: Timers;
  /** By folder. */
  readonly #kept = new Map<string, Kept>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** By sid. Empty for no set. */
  async read(set: Compiled | undefined): Promise<readonly RuleView[]> {
    if (set === undefined) return [];
    const {folder} = set;
    const kept = this.#kept.get(folder) ?? {views: readRules(set), timer: undefined};
    this.#kept.set(folder, kept);
    kept.timer?.cancel();
    kept.timer = this.#timers.after(KEPT_MS, () => this.#kept.delete(folder));
    try {
      return await kept.views;
    } catch (error) {
      this.#forget(folder); // it is read again when it is asked for again
      throw error;
    }
  }

  /** As readRule; from the kept rules where they are kept. */
  async find(set: Compiled, id: string): Promise<RuleView | undefined> {
    const kept = this.#kept.get(set.folder);
    return kept === undefined ? readRule(set, id) : activeOf(await kept.views, id);
  }

  #forget(folder: string): void {
    this.#kept.get(folder)?.timer?.cancel();
    this.#kept.delete(folder);
  }

  close(): void {
    for (const folder of this.#kept.keys()) this.#forget(folder);
  }
}
