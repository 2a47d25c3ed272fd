// SPDX-License-Identifier: Apache-2.0
/**
 * Functions made from text, once for a struct of the schema: each reads the fields of its struct by name, which V8 compiles to
 * a load at a known offset, where one walk for all structs looks every field up in a table (docs/adr/0010). The text is made of
 * the schema alone; nothing of a request comes into it.
 */

/** The text of one function, and the values that it refers to. */
export class Source {
  readonly #names = new Map<unknown, string>();

  /** How the text refers to `value`. */
  name(value: unknown): string {
    let name = this.#names.get(value);
    if (name === undefined) {
      name = `$${this.#names.size}`;
      this.#names.set(value, name);
    }
    return name;
  }

  /** The text of a call; `args` are texts. */
  call(action: (...args: never[]) => unknown, ...args: string[]): string {
    return `${this.name(action)}(${args.join(', ')})`;
  }

  /** `text` is a function expression. */
  compile<F>(text: string): F {
    const make = new Function(...this.#names.values(), `'use strict';\nreturn ${text};`) as (...values: unknown[]) => F;
    return make(...this.#names.keys());
  }
}

/** What `make` gives for a key, made once; while it is made, others may already refer to it by its holder. */
export class Compiled<K extends object, F> {
  readonly #holders = new WeakMap<K, {run: F}>();

  holder(key: K, make: () => F): {run: F} {
    let holder = this.#holders.get(key);
    if (holder === undefined) {
      holder = {run: undefined as F};
      this.#holders.set(key, holder);
      try {
        holder.run = make();
      } catch (error) {
        this.#holders.delete(key);
        throw error;
      }
    }
    return holder;
  }
}

/** `text` as it stands in a program. */
export const literal = (text: string): string => JSON.stringify(text);
