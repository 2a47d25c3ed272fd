// SPDX-License-Identifier: Apache-2.0
/**
 * How many long-lived things of one sort (watches, lists that are being sent) are open, in total and for each user. Administrators
 * (system:masters) have no bound of their own, and a part of the total that nobody else takes.
 */
import {MASTERS_GROUP, type UserInfo} from '../identity/authenticator.ts';

/** Part of a total that is kept for administrators. */
const RESERVED_SHARE = 1 / 20;

export const isAdministrator = ({groups}: UserInfo): boolean => groups.includes(MASTERS_GROUP);

/** What users other than administrators may take of a total. */
export const forOthers = (max: number): number => max - Math.floor(max * RESERVED_SHARE);

type UserBoundParts = {
  /** In the plural, for the text of a refusal. */
  readonly what: string;
  readonly max: number;
  readonly perUserMax: number;
  readonly onRefused: () => void;
};

export class UserBound {
  readonly #parts: UserBoundParts;
  readonly #ofUser = new Map<string, number>();
  #count = 0;

  constructor(parts: UserBoundParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#count;
  }

  /** Why one more is refused, with the limit and the way out; it is counted as a refusal. */
  fault(user: UserInfo): string | undefined {
    const {what, max, perUserMax, onRefused} = this.#parts;
    const isAdmin = isAdministrator(user);
    const total = isAdmin ? max : forOthers(max);
    const isFull = this.#count >= total;
    const isTooMany = !isAdmin && (this.#ofUser.get(user.name) ?? 0) >= perUserMax;
    if (!isFull && !isTooMany) return undefined;
    onRefused();
    if (isFull) return `too many ${what}: limit is ${total}`;
    return `too many ${what} of user ${JSON.stringify(user.name)}: limit is ${perUserMax}; close some, then try again`;
  }

  /** Counts one until what is returned is called, once. */
  take({name}: UserInfo): () => void {
    this.#count++;
    this.#ofUser.set(name, (this.#ofUser.get(name) ?? 0) + 1);
    return () => {
      const left = (this.#ofUser.get(name) ?? 1) - 1;
      this.#count--;
      if (left > 0) this.#ofUser.set(name, left);
      else this.#ofUser.delete(name);
    };
  }
}
