// SPDX-License-Identifier: Apache-2.0
import type {EndpointRecord} from '../model/endpoint-record.ts';
import type {IdsState} from './ids-state.ts';
import {SortedNames} from './sorted-names.ts';

/** Rule path → endpoint, kept by the state's changes. */
export class RuleIndex {
  readonly #state: IdsState;
  readonly #endpointOf = new Map<string, string>();
  readonly #ruleOf = new Map<string, string>();
  readonly #paths = new SortedNames();

  constructor(state: IdsState) {
    this.#state = state;
  }

  /** To be called when the state is complete. */
  start(): void {
    for (const name of this.#state.endpoints.names()) this.#update(name);
    this.#state.subscribe(({kind, name}) => {
      if (kind === 'endpoints') this.#update(name);
    });
  }

  find(path: string): EndpointRecord | undefined {
    return this.#state.endpoints.get(this.#endpointOf.get(path) ?? '')?.record;
  }

  /** Endpoints whose rules begin with `prefix`, after a path, in path order. */
  range(prefix: string, after: string): readonly EndpointRecord[] {
    return [...this.#paths.range(prefix, after)].flatMap(path => this.find(path) ?? []);
  }

  #update(name: string): void {
    const path = this.#state.endpoints.get(name)?.record.allocation?.rule;
    const before = this.#ruleOf.get(name);
    if (path === before) return;
    if (before !== undefined) {
      this.#ruleOf.delete(name);
      this.#endpointOf.delete(before);
      this.#paths.remove(before);
    }
    if (path === undefined) return;
    this.#ruleOf.set(name, path);
    this.#endpointOf.set(path, name);
    this.#paths.add(path);
  }
}
