// SPDX-License-Identifier: Apache-2.0
/** Changes in an array, in id order. Durable as long as the process. */
import type {Change, ChangeHead, ChangeId} from '../../log/change.ts';
import {revisionOf} from '../../log/change.ts';
import type {EraseStep, LogDriver, Opened, Replay, Replayed, Step} from '../../log/driver.ts';
import {partition} from '../../log/ordered-keys.ts';
import type {Key} from '../../store.ts';
import {StoreError} from '../../store-error.ts';

export class MemoryDriver implements LogDriver {
  readonly place = 'memory';
  #changes: Change[] = [];

  async open(): Promise<Opened> {
    return {revision: 0, compacted: 0};
  }

  async heads(): Promise<readonly ChangeHead[]> {
    return [];
  }

  async append(changes: readonly Change[]): Promise<void> {
    for (const change of changes) this.#changes.push(change);
  }

  async read(ids: readonly ChangeId[]): Promise<readonly Change[]> {
    return ids.map(id => this.#find(id));
  }

  async scan(prefix: Key, range: {after: ChangeId; through: ChangeId; bytesMax: number}): Promise<Replay> {
    const rows: Replayed[] = [];
    let bytes = 0;
    for (let i = this.#position(range.after + 1); ; i++) {
      const change = this.#changes[i];
      if (change === undefined || change.id > range.through) return {rows, through: range.through};
      const before = this.#changes[i - 1]?.id ?? 0;
      if (bytes >= range.bytesMax && revisionOf(before) < revisionOf(change.id)) return {rows, through: before};
      if (!change.key.startsWith(prefix)) continue;
      rows.push({change, previous: change.previousId === 0 ? undefined : this.#find(change.previousId)});
      bytes += change.value?.length ?? 0;
    }
  }

  async erase(compacted: number): Promise<EraseStep> {
    const dead = new Set<ChangeId>();
    for (const {id, previousId, createRevision} of this.#changes) {
      if (revisionOf(id) > compacted) break;
      if (previousId > 0) dead.add(previousId);
      if (createRevision === 0) dead.add(id);
    }
    const before = this.#changes.length;
    this.#changes = this.#changes.filter(change => !dead.has(change.id));
    return {more: false, ms: 0, erased: before - this.#changes.length};
  }

  async shrink(): Promise<Step> {
    return {more: false, ms: 0};
  }

  async close(): Promise<void> {
    this.#changes = [];
  }

  /** The first change whose id is at or above. */
  #position(id: ChangeId): number {
    return partition(this.#changes.length, i => (this.#changes[i]?.id ?? 0) < id);
  }

  #find(id: ChangeId): Change {
    const change = this.#changes[this.#position(id)];
    if (change?.id !== id) throw new StoreError('compacted', {revision: BigInt(revisionOf(id))});
    return change;
  }
}
