// SPDX-License-Identifier: Apache-2.0
/**
 * What a browser keeps while it is at the issuer: nothing is kept here, so that nobody can fill a table. It is signed by this process; a
 * restart in between ends the sign-in. Over TLS the cookie's prefix keeps other hosts from planting one.
 */
import {createHmac, randomBytes, timingSafeEqual} from 'node:crypto';
import type {Clock} from '@palisade/apiserver';
import type {Secrets} from './issued-tokens.ts';

export const SIGN_IN_SECONDS = 600;
const KEY_BYTES = 32;

export type StartedSignIn = Secrets & {
  readonly redirectUri: string;
  /** Path of the console. */
  readonly returnTo: string;
  /** `digestOf` the session that this browser had at the start: its cookie does not come with the redirect of another site. */
  readonly replaces?: string | undefined;
};

export class SignInCookies {
  readonly #key = randomBytes(KEY_BYTES);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  seal(started: StartedSignIn): string {
    const endsMs = this.#clock.now() + SIGN_IN_SECONDS * 1_000;
    const text = Buffer.from(JSON.stringify({...started, endsMs})).toString('base64url');
    return `${text}.${this.#signatureOf(text)}`;
  }

  /** Undefined: not one of this process, changed, or too old. */
  open(value: string): StartedSignIn | undefined {
    const [text = '', signature = ''] = value.split('.');
    const [a, b] = [Buffer.from(signature), Buffer.from(this.#signatureOf(text))];
    if (a.length !== b.length || !timingSafeEqual(a, b)) return undefined;
    const {endsMs, ...started} = JSON.parse(Buffer.from(text, 'base64url').toString()) as StartedSignIn & {
      readonly endsMs: number;
    };
    return this.#clock.now() < endsMs ? started : undefined;
  }

  #signatureOf(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}
