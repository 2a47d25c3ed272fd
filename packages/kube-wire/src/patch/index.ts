// SPDX-License-Identifier: Apache-2.0
/**
 * The three patches that are not apply. Pure: decoded JSON in, untyped patched document or a fault out.
 *
 *   jsonPatch(live, patch, checked?) → PatchResult
 *   mergePatch(live, patch, checked?) → PatchResult
 *   strategicMergePatch(live, patch, types, typeName) → PatchResult
 *
 * `live` is the stored object in wire form (key order of an answer); it is not changed, and what the patch does not
 * touch is shared with the result. `patch` is the decoded body; a body that is no JSON is the caller's 400
 * `error decoding patch: …` (strategic merge: the decoder's text alone). `checked` is false under
 * `fieldValidation=Ignore`.
 *
 * PatchResult: {ok: true, value, text()} | {ok: false, fault: {code, reason, message, causes?, emptyDetails?}}.
 * `value` still has to be decoded; if that fails the answer is 422 with the field `patch` and the bad value `text()`.
 */
export {type PatchCause, type PatchFault, PatchRefused} from './fault.ts';
export {goJsonKind, goText} from './go-text.ts';
export {JSON_PATCH_COPY_BYTES_MAX, JSON_PATCH_OPERATIONS_MAX, jsonPatch} from './json-patch.ts';
export {mergePatch, type PatchResult} from './merge-patch.ts';
export {strategicMergePatch} from './strategic-merge-patch.ts';
