// SPDX-License-Identifier: Apache-2.0
/** Strategic merge patch of an object of the type table. Ref: kubernetes v1.36 apiserver handlers/patch.go, smpPatcher. */
import {cannotUnmarshal} from '../codec/decode-error.ts';
import type {Json, JsonObject, TypeTable} from '../schema.ts';
import {badRequest, caughtFault} from './fault.ts';
import {goJsonKind, goText} from './go-text.ts';
import {cloneJson, hugeNumber, isJsonObject} from './json-value.ts';
import type {MutableObject} from './lazy-document.ts';
import type {PatchResult} from './merge-patch.ts';
import {mergeMaps} from './strategic/merge.ts';
import {rootType} from './strategic/patch-schema.ts';

/**
 * `text()` of the result is the patch, not the document: that is what upstream quotes here. Upstream goes from struct to
 * struct, so what the patch made of kind and apiVersion has to be texts, and counts for nothing.
 */
export function strategicMergePatch(live: JsonObject, patch: Json, types: TypeTable, typeName: string): PatchResult {
  const result = caughtFault(() => {
    if (patch !== null && !isJsonObject(patch)) {
      throw badRequest(cannotUnmarshal(goJsonKind(patch), 'value of type map[string]interface {}'));
    }
    const number = patch === null ? undefined : hugeNumber(patch);
    if (number !== undefined) throw badRequest(cannotUnmarshal(`number ${number}`, 'value of type float64'));
    const own = cloneJson(patch ?? {}) as MutableObject;
    const merged = mergeMaps(live, own, rootType(types, typeName));
    return {value: merged, own};
  });
  if (!result.ok) return result;
  const {value, own} = result.value;
  return {ok: true, value, text: () => goText(own)};
}
