// SPDX-License-Identifier: Apache-2.0
/**
 * Outputs keep the secrecy of the inputs they repeat, and get the one that `additionalSecretOutputs` asks for. A name that is no output
 * is most likely misspelt; for providers the list comes from the SDK and names what may be left out.
 */
import {concealProperties, isUnknown, type PropertyMap, type PropertyValue, secretOf} from '@palisade/provider';
import {isProviderType, parseUrn} from '../../state/urn.ts';
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
      if (!run.dryRun && !isProviderType(parseUrn(of.urn).type))
        run.report('warning', of.urn, `Could not find property '${key}' listed in additional secret outputs.`);
    } else if (!isUnknown(value)) result[key] = secretOf(value);
  }
  return result;
}
