// SPDX-License-Identifier: Apache-2.0
import type {Json, JsonObject} from '@palisade/wire/kube';

/** `metadata.managedFields` of a document as it stands there: an empty list is a reset, absence is not. */
export const sentManagedFields = (value: Json): Json | undefined => {
  const metadata = (value as JsonObject | null)?.['metadata'];
  return metadata !== null && typeof metadata === 'object' && !Array.isArray(metadata)
    ? (metadata as JsonObject)['managedFields']
    : undefined;
};
