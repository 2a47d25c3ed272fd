// SPDX-License-Identifier: Apache-2.0
/** Keeps the index of AccessTokens in step with what is stored, and removes tokens some time after they expired. */
import {
  type CachedObject,
  type Controller,
  type ControllerFactory,
  type ControllerHost,
  deleteObject,
  type KindDefinition,
  PLAIN_DELETE,
  StatusError,
  type Timer,
  type TokenSource,
} from '@palisade/apiserver';
import {PLATFORM_GROUP} from '../endpoint-groups/schema.ts';
import {servedKind} from '../served-kind.ts';
import {type IndexedToken, TokenIndex} from './token-index.ts';

/** An expired token is refused at once; so long its object can still be listed. */
export const KEEP_EXPIRED_MS = 86_400_000;
const SWEEP_MS = 600_000;

export type AccessTokens = {
  readonly source: TokenSource;
  /** Feeds the source; one of the API's controllers. */
  readonly controller: ControllerFactory;
};

export const createAccessTokens = (): AccessTokens => {
  const index = new TokenIndex();
  return {source: index, controller: host => new TokenKeeper(host, index)};
};

const expires = ({expiresAtMs}: IndexedToken): boolean => expiresAtMs < Number.POSITIVE_INFINITY;

class TokenKeeper implements Controller {
  readonly #host: ControllerHost;
  readonly #kind: KindDefinition;
  readonly #index: TokenIndex;
  #timer: Timer | undefined;
  #sweep: Promise<void> | undefined;
  #unsubscribe = () => {};
  #stopped = false;

  constructor(host: ControllerHost, index: TokenIndex) {
    this.#host = host;
    this.#index = index;
    this.#kind = servedKind(host, 'access tokens', PLATFORM_GROUP, 'accesstokens');
  }

  start(): void {
    const {cache, clock} = this.#host.services;
    this.#index.now = () => clock.now();
    const tokens = cache.resource(this.#kind);
    this.#unsubscribe = tokens.onEvent(({type, object}) => {
      if (type === 'DELETED') this.#index.remove(object.name);
      else this.#put(object);
    });
    for (const slice of tokens.objects.slices('')) for (const object of slice) this.#put(object);
    this.#beginSweep();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    this.#timer?.cancel();
    await this.#sweep;
  }

  #put(object: CachedObject): void {
    try {
      if (expires(this.#index.put(object))) this.#await();
    } catch (error) {
      this.#host.log.warn({err: error, token: object.name}, 'damaged access token refused, delete it');
    }
  }

  /** The next sweep: there is a token that expires. */
  #await(): void {
    if (this.#stopped) return;
    this.#timer ??= this.#host.services.timers.after(SWEEP_MS, () => {
      this.#timer = undefined;
      this.#beginSweep();
      if ([...this.#index.all()].some(expires)) this.#await();
    });
  }

  #beginSweep(): void {
    this.#sweep ??= this.#removeExpired()
      .catch(error => this.#host.log.warn({err: error}, 'removal of expired access tokens failed, retrying'))
      .finally(() => {
        this.#sweep = undefined;
      });
  }

  async #removeExpired(): Promise<void> {
    const beforeMs = this.#host.services.clock.now() - KEEP_EXPIRED_MS;
    const due = [...this.#index.all()].filter(({expiresAtMs, isDeleting}) => expiresAtMs <= beforeMs && !isDeleting);
    for (const token of due) {
      if (this.#stopped) return;
      await this.#remove(token);
    }
    if (due.length > 0) this.#host.log.info({count: due.length}, 'expired access tokens removed');
  }

  async #remove({name, uid}: IndexedToken): Promise<void> {
    const context = this.#host.contextFor(this.#kind, '');
    try {
      await deleteObject(context, name, {...PLAIN_DELETE, preconditions: {uid}});
    } catch (error) {
      if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error; // else somebody deleted it
    }
  }
}
