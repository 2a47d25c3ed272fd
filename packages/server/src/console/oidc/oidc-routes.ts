// SPDX-License-Identifier: Apache-2.0
/**
 * /console/oidc/login sends the browser to the issuer, /console/oidc/callback takes what it brings back. Faults are pages, because a person
 * reads them; their text has no markup of anybody else's.
 */
import {type Auditor, type Clock, credentialsOf, type Log, TOO_MANY_LOGINS, truncated} from '@palisade/apiserver';
import type {FailedLogins} from '../../accounts/token-endpoint.ts';
import {audited} from '../../audit/audit-refusals.ts';
import type {Issuer} from '../../auth/oidc/open-issuer.ts';
import {answerText} from '../../port/answer-text.ts';
import type {AnyRequest, AnyResponse} from '../../port/listeners.ts';
import {cookieIn, cookieName, cookieText, SIGN_IN_COOKIE} from '../cookies.ts';
import {newNonce, securityHeaders} from '../security-headers.ts';
import {auditSignIn} from '../session-route.ts';
import {
  arrivalOf,
  countSignIn,
  currentDigest,
  isFault,
  type SignedIn,
  type SignInFault,
  type SignInParts,
  signInWith,
} from '../sign-in.ts';
import {answerWords} from '../static-route.ts';
import {Exchanges} from './exchanges.ts';
import {faultPage} from './fault-page.ts';
import type {IssuerClient} from './issued-tokens.ts';
import {OidcCredential} from './oidc-credential.ts';
import type {OidcSignIn} from './oidc-sign-in.ts';
import {SIGN_IN_SECONDS, SignInCookies} from './sign-in-cookie.ts';

export type OidcRouteParts = SignInParts & {
  /** The one that ID tokens are accepted of now. */
  readonly issuer: () => Issuer | undefined;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly failedLogins: FailedLogins;
  /** Undefined: there is no audit log. */
  readonly auditor: Auditor | undefined;
};

type Answered = {readonly result: SignedIn | SignInFault; readonly returnTo: string};

const ROOT = '/console/';
/** Browsers drop a cookie of more than 4,096 bytes, which would end the sign-in. */
const RETURN_CHARS_MAX = 2_000;
const CALLBACK = '/console/oidc/callback';

const answerPage = (response: AnyResponse, {code, message}: SignInFault, returnTo: string, cookie: string): void => {
  const nonce = newNonce();
  const headers = {'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'set-cookie': cookie};
  answerText(response, code, {...securityHeaders(nonce), ...headers}, faultPage(message, {nonce, returnTo}));
};

const redirect = (response: AnyResponse, location: string, cookies: readonly string[]): void => {
  response.setHeader('set-cookie', cookies as string[]);
  answerText(response, 302, {...securityHeaders(), 'cache-control': 'no-store', location}, '');
};

const authorityOf = ({headers}: AnyRequest): string => String(headers[':authority'] ?? headers.host ?? '');

const urlOf = (request: AnyRequest): URL | undefined => {
  const base = `${arrivalOf(request).isSecure ? 'https' : 'http'}://${authorityOf(request)}`;
  return URL.canParse(request.url ?? '', base) ? new URL(request.url ?? '', base) : undefined;
};

/** A page of the console, and nowhere else. */
const returnIn = (url: URL): string => {
  const path = url.searchParams.get('return') ?? ROOT;
  const to = URL.canParse(path, url.origin) ? new URL(path, url.origin) : undefined;
  const isPage = to?.origin === url.origin && /^\/console\/(?!oidc\/|session$)/.test(to.pathname);
  const page = isPage ? to.pathname + to.search + to.hash : ROOT;
  return page.length > RETURN_CHARS_MAX ? ROOT : page;
};

const signInCookie = (request: AnyRequest, value: string): string =>
  cookieText({
    ...{name: SIGN_IN_COOKIE, value, arrival: arrivalOf(request), sameSite: 'Lax' as const},
    maxAgeSeconds: value === '' ? 0 : SIGN_IN_SECONDS,
  });

export class OidcRoutes implements OidcSignIn {
  readonly #parts: OidcRouteParts;
  readonly #cookies: SignInCookies;
  readonly #exchanges = new Exchanges();
  #client: {readonly of: Issuer; readonly opened: Promise<IssuerClient>} | undefined;

  constructor(parts: OidcRouteParts) {
    this.#parts = parts;
    this.#cookies = new SignInCookies(parts.clock);
  }

  issuerUrl(): string | undefined {
    return this.#parts.issuer()?.config.issuerUrl;
  }

  async handle(request: AnyRequest, response: AnyResponse, name: string): Promise<void> {
    const issuer = this.#parts.issuer();
    const url = urlOf(request);
    if (issuer === undefined) return answerWords(response, 404, 'no OpenID Connect issuer is configured');
    if (url === undefined || (name !== 'login' && name !== 'callback'))
      return answerWords(response, 404, 'no such page');
    if (request.method !== 'GET') return answerWords(response, 405, 'use GET', {allow: 'GET'});
    return name === 'login' ? this.#start(issuer, url, request, response) : this.#end(issuer, url, request, response);
  }

  async #start(issuer: Issuer, url: URL, request: AnyRequest, response: AnyResponse): Promise<void> {
    const redirectUri = url.origin + CALLBACK;
    try {
      const client = await this.#clientOf(issuer);
      const {url: to, secrets} = await client.startUrl(redirectUri);
      const replaces = currentDigest(this.#parts.sessions, request);
      const value = this.#cookies.seal({...secrets, redirectUri, returnTo: returnIn(url), replaces});
      redirect(response, to, [signInCookie(request, value)]);
    } catch (error) {
      const reason = await this.#logged(error, 'OIDC issuer could not be asked');
      const message = `the issuer ${issuer.config.issuerUrl} cannot be asked: ${reason}; try again later`;
      answerPage(response, {code: 503, message}, returnIn(url), signInCookie(request, ''));
    }
  }

  #end(issuer: Issuer, url: URL, request: AnyRequest, response: AnyResponse): Promise<void> {
    return audited(this.#parts.auditor, request, response, async trail => {
      const {result, returnTo} = await this.#finish(issuer, url, request);
      countSignIn(this.#parts.sessions, 'oidc', result);
      await auditSignIn(trail, request, result);
      const cleared = signInCookie(request, '');
      if (isFault(result)) answerPage(response, result, returnTo, cleared);
      else redirect(response, returnTo, [result.cookie, cleared]);
    });
  }

  async #finish(issuer: Issuer, url: URL, request: AnyRequest): Promise<Answered> {
    const value = cookieIn(request.headers, cookieName(SIGN_IN_COOKIE, arrivalOf(request)));
    const started = value === undefined ? undefined : this.#cookies.open(value);
    if (started === undefined) {
      const message = 'this sign-in was not started in this browser, or is too old; start again';
      return {result: {code: 400, message}, returnTo: ROOT};
    }
    const {returnTo, replaces} = started;
    const failed = (result: SignInFault): Answered => ({result, returnTo});
    try {
      const client = await this.#clientOf(issuer);
      const back = new URL(started.redirectUri + url.search);
      const tokens = await this.#exchanges.run(() => client.finish(back, started));
      if (tokens === undefined)
        return failed({code: 503, message: 'too many sign-ins are under way; try again in a few seconds'});
      const {clock} = this.#parts;
      const onFailure = (error: unknown) => void this.#logged(error, 'OIDC session refresh failed');
      const credential = new OidcCredential(tokens, {refresh: token => client.refresh(token), clock, onFailure});
      return {result: await signInWith(this.#parts, request, credential, replaces), returnTo};
    } catch (error) {
      const message = await this.#logged(error, 'OIDC sign-in failed');
      const {isRefusal} = await import('./issuer-client.ts');
      if (!isRefusal(error)) return failed({code: 503, message: `${message}; start again`});
      const waits = this.#parts.failedLogins.failed(credentialsOf(request).remoteAddress);
      if (waits === undefined) return failed({code: 401, message});
      return failed({code: 429, message: TOO_MANY_LOGINS});
    }
  }

  /** What went wrong, in words for a person. Errors of the library have tokens in their fields: none is logged whole. */
  async #logged(error: unknown, what: string): Promise<string> {
    const {whyFailed} = await import('./issuer-client.ts');
    const reason = truncated(whyFailed(error));
    this.#parts.log.warn({reason}, what);
    return reason;
  }

  /** Asked about itself once; again after a failure, and for another issuer. */
  #clientOf(issuer: Issuer): Promise<IssuerClient> {
    if (this.#client?.of === issuer) return this.#client.opened;
    const opened = import('./issuer-client.ts').then(({openIssuerClient}) => openIssuerClient(issuer));
    const client = {of: issuer, opened};
    this.#client = client;
    opened.catch(() => {
      if (this.#client === client) this.#client = undefined;
    });
    return opened;
  }
}
