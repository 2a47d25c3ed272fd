// SPDX-License-Identifier: Apache-2.0
/** The compat mode is part of the data: a change of it is refused while a stored object breaks a rule of the new mode. */

import {fieldErrorText} from '@palisade/kube-wire';
import type {Store} from '@palisade/store';
import {type CompatMode, compatOf} from './base/compat.ts';
import type {Log} from './base/log.ts';
import {decodeItem} from './cache/cached-object.ts';
import {hasObjects, type KindDefinition} from './kind/kind.ts';
import type {Services} from './verbs/object/request-context.ts';
import {strategyContext} from './verbs/object/request-context.ts';
import {systemContext} from './verbs/object/system-context.ts';

const COMPAT_KEY = '/kube-meta/compat';

/** Invalid objects that the message names. */
const NAMED_MAX = 100;

/** The data was written in the other mode and cannot be served in this one. The message names the invalid objects. */
export class CompatError extends Error {
  override readonly name = 'CompatError';
}

/** Throws CompatError. A change of the mode is logged. */
export const agreeOnCompat = async (
  store: Store,
  services: Services,
  kinds: readonly KindDefinition[],
  log: Log,
): Promise<void> => {
  const wanted = services.compat.mode;
  const entry = await store.get(COMPAT_KEY);
  const stored =
    entry === undefined ? undefined : (JSON.parse(Buffer.from(entry.value).toString()) as {mode: CompatMode}).mode;
  if (stored === wanted) return;
  if (stored !== undefined) assertFits(services, kinds, {stored, wanted});
  await store.put(COMPAT_KEY, Buffer.from(JSON.stringify({mode: wanted})), entry?.modRevision ?? 0n);
  if (stored !== undefined) log.warn({from: stored, to: wanted}, 'compat mode of the data changed');
};

type Change = {readonly stored: CompatMode; readonly wanted: CompatMode};

/** Throws CompatError. */
const assertFits = (services: Services, kinds: readonly KindDefinition[], {stored, wanted}: Change): void => {
  const misfits = kinds.flatMap(kind => misfitsOf(services, kind, wanted));
  if (misfits.length === 0) return;
  const named = misfits.slice(0, NAMED_MAX).map(misfit => `\n  ${misfit}`);
  const more = misfits.length > NAMED_MAX ? `\n  and ${misfits.length - NAMED_MAX} more` : '';
  throw new CompatError(
    `stored objects are invalid with --compat ${wanted}:${named.join('')}${more}\n` +
      `start with --compat ${stored} again, change or delete these objects, then change the mode`,
  );
};

const misfitsOf = (services: Services, kind: KindDefinition, wanted: CompatMode): string[] => {
  const {validateCreate} = kind.strategy;
  if (validateCreate === undefined || !hasObjects(kind)) return [];
  const context = {...strategyContext(systemContext(services, kind, '')), compat: compatOf(wanted)};
  const misfits: string[] = [];
  for (const slice of services.registryOf(kind).cache.objects.slices('')) {
    for (const object of slice) {
      const [fault] = validateCreate(decodeItem(object), context);
      if (fault === undefined) continue;
      const name = object.namespace === '' ? object.name : `${object.namespace}/${object.name}`;
      misfits.push(`${kind.resource} ${name}: ${fieldErrorText(fault)}`);
    }
  }
  return misfits;
};
