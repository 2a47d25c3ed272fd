// SPDX-License-Identifier: Apache-2.0
/**
 * The document that a patch works on: the stored object, changed copy on write, so what a patch does not touch stays
 * the same value in memory. It also remembers which objects the patch entered: upstream re-encodes exactly those with
 * sorted keys and leaves the rest as it was, and error messages quote that text.
 * Ref: evanphx/json-patch v4 lazyNode.
 */

import {setOwn} from '../codec/untyped.ts';
import {compareUtf8} from '../go/order.ts';
import type {Json, JsonObject} from '../schema.ts';
import {goJson, isJsonArray, isJsonObject} from './json-value.ts';

const isContainer = (value: Json): value is JsonObject | readonly Json[] => isJsonObject(value) || isJsonArray(value);

export class LazyDocument {
  readonly #entered = new WeakSet<object>();
  /** Containers that this document made itself and may change. */
  readonly #own = new WeakSet<object>();
  root: Json;

  constructor(root: Json) {
    this.root = root;
    this.enter(root);
  }

  /** Notes that a container was parsed. */
  enter(value: Json): void {
    if (isContainer(value)) this.#entered.add(value);
  }

  /** Notes it for a container and everything in it. */
  enterDeep(value: Json): void {
    if (!isContainer(value)) return;
    this.#entered.add(value);
    for (const child of Array.isArray(value) ? value : Object.values(value as JsonObject)) this.enterDeep(child);
  }

  /** A version of the container that may be changed; the caller puts it where the old one was. */
  own<T extends JsonObject | readonly Json[]>(container: T): T {
    if (this.#own.has(container)) return container;
    const copy = (Array.isArray(container) ? [...container] : {...container}) as T;
    this.#own.add(copy);
    this.#entered.add(copy);
    return copy;
  }

  /** A deep copy, keys in the order of the text. */
  copy(value: Json): Json {
    if (!isContainer(value)) return value;
    if (Array.isArray(value)) return value.map(item => this.copy(item));
    const object = value as JsonObject;
    const keys = Object.keys(object);
    if (this.#entered.has(object)) keys.sort(compareUtf8);
    const out: MutableObject = {};
    for (const key of keys) setOwn(out, key, this.copy(object[key] ?? null));
    return out;
  }

  /** The document as upstream would have encoded it. */
  text(): string {
    return goJson(this.root, object => this.#entered.has(object));
  }
}

export type MutableObject = {[key: string]: Json};

export function asMutable(object: JsonObject): MutableObject {
  return object as MutableObject;
}
