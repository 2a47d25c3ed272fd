// SPDX-License-Identifier: Apache-2.0
/**
 * Who is let in, for both APIs. The parts of a server add what they know, in the order of its start: client certificates are asked first,
 * then the sources of bearer tokens, in the order they were added.
 */
import {
  type Authenticator,
  everyoneIsMaster,
  inTurn,
  type LoginLimit,
  type TokenSource,
  tokenAuthenticator,
} from '@palisade/apiserver';
import type {ServeConfig} from '../parts/config.ts';

export class Authentication {
  /** What a bearer token is looked up in; also asked by TokenReviews, with `--auth none` as well. */
  readonly tokenSources: TokenSource[] = [];
  /** Asked before bearer tokens. */
  readonly #others: Authenticator[] = [];
  readonly authenticator: Authenticator;

  /** `limit`: of failed logins; without credentials there are none. */
  constructor(auth: ServeConfig['auth'], limit: Pick<LoginLimit, 'wrap'>) {
    const tokens = tokenAuthenticator(this.tokenSources);
    const all = (): Authenticator => inTurn([...this.#others, tokens]);
    let current = all();
    const limited = limit.wrap({authenticate: credentials => current.authenticate(credentials)});
    this.authenticator = auth === 'none' ? everyoneIsMaster : limited;
    this.#renew = () => {
      current = all();
    };
  }

  readonly #renew: () => void;

  addTokens(source: TokenSource): void {
    this.tokenSources.push(source);
  }

  add(authenticator: Authenticator): void {
    this.#others.push(authenticator);
    this.#renew();
  }
}
