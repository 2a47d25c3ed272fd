// SPDX-License-Identifier: Apache-2.0
/**
 * Who owns which field, and server-side apply. Pure: no I/O, the clock is an argument.
 *
 *   manageUpdate({types, typeName, apiVersion, live, next, manager, now, specTimes, subresource?, sentManagedFields?,
 *                 resetFields?, empties?}) → {object, managedFields}
 *     for create, put, JSON patch, merge patch, strategic merge patch. `live` and `next` in stored form. Never fails.
 *   manageApply({types, typeName, apiVersion, kind, live, applied, manager, force, now, specTimes, subresource?,
 *                resetFields?}) → {ok: true, object, managedFields, changed} | {ok: false, fault}
 *     `applied` as decoded from YAML; `object` still has to be decoded, defaulted and validated.
 *   keepTimesIfUnchanged(live, next, inOrder) → next
 *     after defaulting, before the no-op check, for every kind of write.
 *
 *   malformedEntryFaults(sentManagedFields) → FieldError[]
 *     before manageUpdate, where malformed entries are refused (upstream ignores them).
 *
 * `empties?`: who sends an empty list that is not stored comes to own it, as upstream; false by default (E-048).
 * `now`: RFC 3339 UTC, whole seconds. `specTimes`: false under `--compat kubernetes` (E-216).
 */

export {type FieldSet, fieldSetOf} from './fields/field-set.ts';
export {decodeFieldsV1, encodeFieldsV1} from './fields/fields-v1.ts';
export {keepTimesIfUnchanged} from './keep-times.ts';
export {malformedEntryFaults} from './malformed-entries.ts';
export {type ApplyContext, type ApplyResult, manageApply} from './manage-apply.ts';
export {type ManagedObject, manageUpdate, type UpdateContext, type WriteContext} from './manage-update.ts';
export {fieldPath} from './ownership.ts';
