// SPDX-License-Identifier: Apache-2.0
import {decodeMember, isSpelled, type Json, type JsonObject} from '@palisade/kube-wire';

/**
 * `metadata.managedFields` of a patched document as it stands there: an empty list is a reset, absence is not. `live` is the
 * stored list, which the document has too where the patch left it alone.
 */
export const sentManagedFields = (value: Json, live: unknown): Json | undefined => {
  const metadata = (value as JsonObject | null)?.['metadata'];
  if (metadata === undefined || metadata === null || typeof metadata !== 'object' || Array.isArray(metadata)) {
    return undefined;
  }
  const sent = (metadata as JsonObject)['managedFields'];
  return sent === undefined || sent === live ? sent : asRead(sent);
};

/** However it was written in the patch: `"\u006d"` names the manager `m`, and a number may be beyond any float. */
const asRead = (value: Json): Json => {
  if (isSpelled(value)) return decodeMember(value.text, []) ?? null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(asRead);
  return Object.fromEntries(Object.entries(value as JsonObject).map(([key, member]) => [key, asRead(member)]));
};
