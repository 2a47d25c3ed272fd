// SPDX-License-Identifier: Apache-2.0
/**
 * JSON patch (RFC 6902) as upstream applies it: negative indexes count from the end, `replace` and `copy` of a member
 * that is not there are no errors, a `value` that is missing is null. Any operation that does not fit refuses the
 * whole patch with one general text.
 * Ref: evanphx/json-patch v4 patch.go; kubernetes v1.36 apiserver pkg/endpoints/handlers/patch.go.
 */
import {cannotUnmarshal} from '../codec/decode-error.ts';
import {isStrayField} from '../codec/operation-faults.ts';
import {isSpelled} from '../codec/spelled-value.ts';
import {setOwn} from '../codec/untyped.ts';
import type {Json, JsonObject} from '../schema.ts';
import {badRequest, caughtFault, PatchRefused, undecodable, unprocessable} from './fault.ts';
import {goJsonKind} from './go-text.ts';
import {equalJson, getKey, goJson, hugeNumber, isJsonArray, isJsonObject, opened} from './json-value.ts';
import {asMutable, LazyDocument} from './lazy-document.ts';
import type {PatchResult} from './merge-patch.ts';

/** More operations are refused with 413. */
export const JSON_PATCH_OPERATIONS_MAX = 10_000;
/** All that the `copy` operations of one patch add, as JSON. */
export const JSON_PATCH_COPY_BYTES_MAX = 3 * 1024 * 1024;

type Operation = {
  readonly op: string;
  readonly path: string | undefined;
  readonly from: string | undefined;
  /** Null when it is missing. */
  readonly value: Json;
  readonly hasValue: boolean;
};

/** `patch` is the decoded body; `checked` is false only under `fieldValidation=Ignore`. */
export function jsonPatch(live: JsonObject, patch: Json, checked = true): PatchResult {
  const result = caughtFault(() => {
    const run = new PatchRun(live);
    for (const operation of decodeOperations(patch, checked)) run.step(operation);
    return run.document;
  });
  if (!result.ok) return result;
  const document = result.value;
  return {ok: true, value: document.root, text: () => document.text()};
}

function decodeOperations(patch: Json, checked: boolean): Operation[] {
  if (patch === null) return [];
  if (!isJsonArray(patch)) {
    const kind = goJsonKind(patch);
    throw checked
      ? undecodable(kind, 'value of type []handlers.jsonPatchOp')
      : badRequest(cannotUnmarshal(kind, 'value of type jsonpatch.Patch'));
  }
  const operations = patch.map(item => decodeOperation(item, checked));
  if (operations.length > JSON_PATCH_OPERATIONS_MAX) {
    throw new PatchRefused({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: `Request entity too large: The allowed maximum operations in a JSON patch is ${JSON_PATCH_OPERATIONS_MAX}, got ${operations.length}`,
    });
  }
  return operations;
}

function decodeOperation(item: Json, checked: boolean): Operation {
  if (item !== null && !isJsonObject(item)) {
    const kind = goJsonKind(item);
    throw checked
      ? undecodable(kind, 'value of type handlers.jsonPatchOp')
      : badRequest(cannotUnmarshal(kind, 'value of type jsonpatch.Operation'));
  }
  const fields = item ?? {};
  if (checked) {
    for (const key in fields) {
      if (isStrayField(key)) continue;
      if (key === 'value') assertNumbers(fields[key] ?? null);
      else assertText(key, fields[key] ?? null);
    }
  }
  return {
    op: textOf(fields, 'op') ?? 'unknown',
    path: textOf(fields, 'path'),
    from: textOf(fields, 'from'),
    value: getKey(fields, 'value') ?? null,
    hasValue: getKey(fields, 'value') !== undefined,
  };
}

function assertNumbers(value: Json): void {
  const number = hugeNumber(value);
  if (number === undefined) return;
  throw undecodable(`number ${number}`, 'struct field jsonPatchOp.value of type float64');
}

function assertText(key: string, value: Json): void {
  if (value === null || typeof value === 'string' || goJsonKind(value) === 'string') return;
  throw undecodable(goJsonKind(value), `struct field jsonPatchOp.${key} of type string`);
}

function textOf(fields: JsonObject, key: string): string | undefined {
  const value = getKey(fields, key);
  if (isSpelled(value)) return value.text.startsWith('"') ? String(JSON.parse(value.text)) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Where an operation works: a container of the document that may be changed, and the key in it. */
type Place = {readonly container: JsonObject | readonly Json[]; readonly key: string};

class PatchRun {
  readonly document: LazyDocument;
  #copiedBytes = 0;

  constructor(live: JsonObject) {
    this.document = new LazyDocument(live);
  }

  step(operation: Operation): void {
    switch (operation.op) {
      case 'add':
        this.#add(this.#place(operation.path), operation.value);
        break;
      case 'remove':
        this.#remove(this.#place(operation.path));
        break;
      case 'replace':
        this.#replace(operation);
        break;
      case 'move':
        this.#move(operation);
        break;
      case 'copy':
        this.#copy(operation);
        break;
      case 'test':
        this.#test(operation);
        break;
      default:
        throw unprocessable();
    }
  }

  #move(operation: Operation): void {
    const source = this.#place(operation.from);
    const value = this.#read(source);
    this.#remove(source);
    this.#add(this.#place(operation.path), value);
  }

  #copy(operation: Operation): void {
    const source = this.#place(operation.from);
    this.#read(source);
    const target = this.#place(operation.path);
    const copy = this.document.copy(this.#read(source));
    this.#copiedBytes += copy === null ? 0 : Buffer.byteLength(goJson(copy));
    if (this.#copiedBytes > JSON_PATCH_COPY_BYTES_MAX) throw unprocessable();
    this.#add(target, copy);
  }

  /** Walks to the parent of the last step, making everything on the way changeable. */
  #place(pointer: string | undefined): Place {
    const steps = pointer?.split('/') ?? [];
    if (steps.length < 2) throw unprocessable();
    const {root} = this.document;
    if (!isJsonObject(root) && !isJsonArray(root)) throw unprocessable();
    let container = this.document.own(root);
    this.document.root = container;
    for (const step of steps.slice(1, -1)) {
      const place = {container, key: decodeStep(step)};
      const next = opened(this.#read(place));
      if (!isJsonObject(next) && !isJsonArray(next)) throw unprocessable();
      const owned: JsonObject | readonly Json[] = this.document.own(next);
      if (owned !== next) this.#set(place, owned);
      container = owned;
    }
    return {container, key: decodeStep(steps.at(-1) ?? '')};
  }

  /** A member that is not there reads as null; an index that is not there refuses. */
  #read({container, key}: Place): Json {
    if (!isJsonArray(container)) return getKey(container, key) ?? null;
    return container[existingIndex(container, key)] ?? null;
  }

  #set({container, key}: Place, value: Json): void {
    if (isJsonArray(container)) (container as Json[])[existingIndex(container, key)] = value;
    else setOwn(asMutable(container), key, value);
  }

  #add({container, key}: Place, value: Json): void {
    if (!isJsonArray(container)) setOwn(asMutable(container), key, value);
    else if (key === '-') (container as Json[]).push(value);
    else (container as Json[]).splice(insertIndex(container, key), 0, value);
  }

  #remove({container, key}: Place): void {
    if (isJsonArray(container)) {
      (container as Json[]).splice(existingIndex(container, key), 1);
    } else {
      if (getKey(container, key) === undefined) throw unprocessable();
      delete asMutable(container)[key];
    }
  }

  #replace(operation: Operation): void {
    const {path} = operation;
    const value = path === '' ? opened(operation.value) : operation.value;
    if (path !== '') {
      const place = this.#place(path);
      this.#read(place);
      this.#set(place, value);
      return;
    }
    if (!isJsonObject(value) && !isJsonArray(value)) throw unprocessable();
    this.document.enter(value);
    this.document.root = value;
  }

  #test({path, value, hasValue}: Operation): void {
    const found = path === '' ? this.document.root : this.#read(this.#place(path));
    if (found === null ? value !== null : !hasValue || !equalJson(found, value)) throw unprocessable();
    this.document.enterDeep(found);
  }
}

/** JSON pointer escapes: `~1` is `/`, `~0` is `~`. */
function decodeStep(step: string): string {
  return step.replace(/~[01]/g, code => (code === '~1' ? '/' : '~'));
}

function parseIndex(key: string): number {
  if (!/^[+-]?\d+$/.test(key)) throw unprocessable();
  return Number(key);
}

function existingIndex(list: readonly Json[], key: string): number {
  const index = parseIndex(key);
  if (index >= list.length || index < -list.length) throw unprocessable();
  return index < 0 ? index + list.length : index;
}

function insertIndex(list: readonly Json[], key: string): number {
  const index = parseIndex(key);
  const size = list.length + 1;
  if (index >= size || index < -size) throw unprocessable();
  return index < 0 ? index + size : index;
}
