// SPDX-License-Identifier: Apache-2.0
/** The compat mode is part of the data: a change of it is refused while a stored object breaks a rule of the new mode. */
import type {Store} from '@palisade/store';
import {fieldErrorText} from '@palisade/wire/kube';
import {decodeItem} from './cache/cached-object.ts';
import {type CompatMode, compatOf} from './compat.ts';
import type {KindDefinition} from './kind.ts';
import type {Services} from './verbs/request-context.ts';
import {strategyContext} from './verbs/request-context.ts';
import {systemContext} from './verbs/system-context.ts';

const COMPAT_KEY = '/kube-meta/compat';

/** The data was written in the other mode and cannot be served in this one. `object` names the first that stands in the way. */
export class CompatError extends Error {
  override readonly name = 'CompatError';
  readonly object: string;
  constructor(message: string, object: string) {
    super(message);
    this.object = object;
  }
}

/** Throws CompatError. */
export const agreeOnCompat = async (
  store: Store,
  services: Services,
  kinds: readonly KindDefinition[],
): Promise<void> => {
  const wanted = services.compat.mode;
  const entry = await store.get(COMPAT_KEY);
  const stored =
    entry === undefined ? undefined : (JSON.parse(Buffer.from(entry.value).toString()) as {mode: CompatMode}).mode;
  if (stored === wanted) return;
  if (stored !== undefined) for (const kind of kinds) assertFits(services, kind, wanted);
  await store.put(COMPAT_KEY, Buffer.from(JSON.stringify({mode: wanted})), entry?.modRevision ?? 0n);
};

const assertFits = (services: Services, kind: KindDefinition, wanted: CompatMode): void => {
  const {validateCreate} = kind.strategy;
  if (validateCreate === undefined || kind.review !== undefined) return;
  const context = {...strategyContext(systemContext(services, kind, '')), compat: compatOf(wanted)};
  for (const slice of services.registryOf(kind).cache.objects.slices('')) {
    for (const object of slice) {
      const [fault] = validateCreate(decodeItem(object), context);
      if (fault === undefined) continue;
      const name = `${kind.resource} ${object.namespace === '' ? '' : `${object.namespace}/`}${object.name}`;
      throw new CompatError(
        `the data cannot be served with --compat ${wanted}: ${name} breaks its rules: ${fieldErrorText(fault)}`,
        name,
      );
    }
  }
};
