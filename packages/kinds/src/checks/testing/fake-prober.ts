// SPDX-License-Identifier: Apache-2.0
/** A prober whose results a test chooses. */
import type {CheckResult, CheckTarget, Prober} from '../prober.ts';

export class FakeProber implements Prober {
  readonly targets = new Map<string, CheckTarget>();
  /** What is said of addresses that are refused. */
  readonly refused = new Map<string, string>();
  readonly #listeners = new Set<(results: readonly CheckResult[]) => void>();
  /** Calls of `watch`. */
  watched = 0;

  watch(target: CheckTarget): void {
    this.watched++;
    this.targets.set(target.id, target);
  }

  forget(id: string): void {
    this.targets.delete(id);
  }

  onResults(listener: (results: readonly CheckResult[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  refusal(ip: string): string | undefined {
    return this.refused.get(ip);
  }

  async stop(): Promise<void> {
    this.targets.clear();
  }

  /** Of each target at the socket (`10.0.0.1:80`, `10.0.0.1` or '' for all): as many results, in one batch. */
  report(socket: string, error = '', {times = 1, atMs = 0}: {times?: number; atMs?: number} = {}): void {
    const ids = [...this.targets.values()].filter(({ip, port}) => `${ip}:${port}`.startsWith(socket)).map(({id}) => id);
    const one = (id: string): CheckResult => ({id, atMs, passed: error === '', durationMs: 1, message: error});
    this.send(Array.from({length: times}, () => ids.map(one)).flat());
  }

  send(results: readonly CheckResult[]): void {
    for (const listener of this.#listeners) listener(results);
  }
}
