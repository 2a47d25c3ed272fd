// SPDX-License-Identifier: Apache-2.0
/** Outputs keep the secrecy of the inputs they repeat, and get the one that `additionalSecretOutputs` asks for. */
import {concealProperties, isUnknown, type PropertyMap, type PropertyValue, secretOf} from '@palisade/provider';
import type {Run} from '../run.ts';

export function concealOutputs(
  run: Run,
  of: {urn: string; inputs: PropertyMap; additional: readonly string[]},
  outputs: PropertyMap,
): PropertyMap {
  const result: Record<string, PropertyValue> = {...concealProperties(outputs, of.inputs)};
  for (const key of of.additional) {
    const value = result[key];
    if (value === undefined) {
      if (!run.dryRun)
        run.tell('warning', of.urn, `Could not find property '${key}' listed in additional secret outputs.`);
    } else if (!isUnknown(value)) result[key] = secretOf(value);
  }
  return result;
}
