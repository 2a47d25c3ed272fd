// SPDX-License-Identifier: Apache-2.0
/**
 * The store of openSqliteStore without its thread: for tests that open hundreds of damaged copies. The thread only carries
 * messages to the same Session.
 */
import {join} from 'node:path';
import type {Store} from '@palisade/store';
import {STORE_FILE, type WalTail} from '@palisade/store/sqlite';
import type {RequestName, Requests} from '../../../packages/store/src/drivers/sqlite/messages.ts';
import {packChanges, unpackChanges} from '../../../packages/store/src/drivers/sqlite/packed-changes.ts';
import {Session} from '../../../packages/store/src/drivers/sqlite/session.ts';
import {STORE_LIMITS} from '../../../packages/store/src/limits.ts';
import type {Change} from '../../../packages/store/src/log/change.ts';
import type {EraseStep, LogDriver, Step} from '../../../packages/store/src/log/driver.ts';
import {openLogStore} from '../../../packages/store/src/log/log-store.ts';

/** Throws as openSqliteStore does. */
export function openInline({dir, onTornTail}: {dir: string; onTornTail?: (tail: WalTail) => void}): Promise<Store> {
  return openLogStore(new InlineDriver(join(dir, STORE_FILE), onTornTail), {
    limits: STORE_LIMITS,
    defer: setImmediate,
  });
}

class InlineDriver implements LogDriver {
  readonly place: string;
  readonly #onTornTail: ((tail: WalTail) => void) | undefined;
  readonly #session = new Session();
  #last = 0;

  constructor(place: string, onTornTail: ((tail: WalTail) => void) | undefined) {
    this.place = place;
    this.#onTornTail = onTornTail;
  }

  async open() {
    const {tail, ...opened} = this.#ask('open', {
      file: this.place,
      fileBytesMax: 0,
      stepMs: STORE_LIMITS.driverStepMs,
      probe: undefined,
    });
    if (tail !== undefined) this.#onTornTail?.(tail);
    return opened;
  }

  async heads(after: number) {
    const heads = unpackChanges(this.#ask('heads', {after}));
    this.#last = heads.at(-1)?.id ?? this.#last;
    return heads;
  }

  async append(changes: readonly Change[]): Promise<void> {
    this.#ask('append', {after: this.#last, changes: packChanges(changes)});
    this.#last = changes.at(-1)?.id ?? this.#last;
  }

  async read(ids: readonly number[]) {
    return unpackChanges(this.#ask('read', {ids}));
  }

  async scan(prefix: string, range: {after: number; through: number; bytesMax: number}) {
    const {changes, previous, through} = this.#ask('scan', {prefix, ...range});
    const superseded = new Map(unpackChanges(previous).map(change => [change.id, change]));
    const rows = unpackChanges(changes).map(change => ({change, previous: superseded.get(change.previousId)}));
    return {rows, through};
  }

  async erase(compacted: number): Promise<EraseStep> {
    return this.#ask('erase', {compacted});
  }

  async shrink(): Promise<Step> {
    return this.#ask('shrink', undefined);
  }

  async close(): Promise<void> {
    this.#ask('close', undefined);
  }

  #ask<N extends RequestName>(name: N, args: Requests[N]['args']): Requests[N]['answer'] {
    const request = {id: 0, name, args} as Parameters<Session['handle']>[0]; // args of this name
    try {
      return this.#session.handle(request).answer as Requests[N]['answer'];
    } catch (error) {
      throw this.#session.toStoreError(error);
    }
  }
}
