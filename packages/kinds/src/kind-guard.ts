// SPDX-License-Identifier: Apache-2.0
/** What one kind asks of writes to another: the other kind's folder knows nothing of it. */
import type {KindDefinition, KindModule, Strategy} from '@palisade/apiserver';

export type KindGuard = {
  readonly group: string;
  readonly resource: string;
  /** Asked after the kind's own. */
  readonly access: NonNullable<Strategy['access']>;
};

/** A module whose kinds guard others, too. */
export type GuardingModule = KindModule & {readonly guards?: readonly KindGuard[]};

/** The kind with all guards that are for it; without any the kind itself. */
export const guarded = (kind: KindDefinition, guards: readonly KindGuard[]): KindDefinition => {
  const own = guards.filter(({group, resource}) => group === kind.group && resource === kind.resource);
  if (own.length === 0) return kind;
  const asked = [kind.strategy.access, ...own.map(({access}) => access)];
  const access: KindGuard['access'] = async (write, context) => {
    for (const each of asked) await each?.(write, context);
  };
  return {...kind, strategy: {...kind.strategy, access}};
};
