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
import {withSessions} from '../console/session-authenticator.ts';
import type {Sessions} from '../console/sessions.ts';
import type {ServeConfig} from '../parts/config.ts';

export class Authentication {
  /** What a bearer token is looked up in; also asked by TokenReviews, with `--auth none` as well. */
  readonly tokenSources: TokenSource[] = [];
  /** Asked before bearer tokens. */
  readonly #others: Authenticator[] = [];
  readonly authenticator: Authenticator;

  /** `limit`: of failed logins; without credentials there are none. `sessions`: of the console, if it is served. */
  constructor(auth: ServeConfig['auth'], limit: Pick<LoginLimit, 'wrap'>, sessions?: Sessions) {
    const tokens = tokenAuthenticator(this.tokenSources);
    const all = (): Authenticator => inTurn([...this.#others, tokens]);
    let current = all();
    const known: Authenticator = {authenticate: credentials => current.authenticate(credentials)};
    const limited = limit.wrap(known);
    const letIn = sessions === undefined ? limited : withSessions(sessions, limited, known);
    this.authenticator = auth === 'none' ? everyoneIsMaster : letIn;
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
