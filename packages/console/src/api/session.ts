// SPDX-License-Identifier: Apache-2.0
/** The signed-in user: the contract of `/console/session`, without React. */
import {
  CSRF_HEADER,
  createFetchTransport,
  type HttpRequest,
  isUnsafe,
  type Transport,
  TransportError,
} from '@palisade/client/browser';
import {createStore, type Store} from './store.ts';
import {errorText} from './words.ts';

export type Session = {
  readonly user: {readonly username: string; readonly groups: readonly string[]};
  readonly method: 'none' | 'token' | 'certificate' | 'oidc';
  /** '' with `--auth none`. */
  readonly csrfToken: string;
  /** RFC 3339. */
  readonly expiresAt?: string;
};

/** The ways in. */
export type SignIn = {
  readonly token: boolean;
  /** The browser showed a client certificate. */
  readonly certificate: boolean;
  /** The server asks for one on this connection. */
  readonly certificateAsked?: boolean;
  /** Why the server does not accept the one that the browser showed. */
  readonly certificateFault?: string;
  readonly oidc?: {readonly issuer: string; readonly url: string};
};

export type SessionState =
  | {readonly phase: 'loading'}
  | {readonly phase: 'in'; readonly session: Session}
  /** `note`: why one has to sign in again. */
  | {readonly phase: 'out'; readonly signIn: SignIn; readonly note?: string}
  | {readonly phase: 'failed'; readonly text: string};

const PATH = '/console/session';
const TOKEN_ALONE: SignIn = {token: true, certificate: false};

type Answer = {readonly status: number; readonly body: string};

/** The JSON of an answer; undefined for other text. */
const jsonOf = (body: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};

export function stateOf({status, body}: Answer): SessionState {
  const json = jsonOf(body);
  if (status === 200 && json !== undefined && 'user' in json) return {phase: 'in', session: json as unknown as Session};
  if (status === 401) return {phase: 'out', signIn: (json?.['signIn'] as SignIn | undefined) ?? TOKEN_ALONE};
  if (status === 404)
    return {phase: 'failed', text: 'This server has no sign-in for the console: it is older than the console.'};
  return {phase: 'failed', text: refusalText({status, body}, `The server answered ${status} to GET ${PATH}.`)};
}

/** Of a Kubernetes Status, of `{error: {message}}` or `{message}`; `otherwise` for anything else. */
function refusalText({body}: Answer, otherwise: string): string {
  const json = jsonOf(body);
  const error = json?.['error'];
  const nested = typeof error === 'object' && error !== null ? (error as {message?: unknown}).message : error;
  const message = json?.['message'] ?? nested;
  return typeof message === 'string' && message !== '' ? errorText(new Error(message)) : otherwise;
}

export type SessionControl = {
  readonly state: Store<SessionState>;
  /** Asks who is signed in. */
  readonly load: () => Promise<void>;
  /** With a token, or without one by the certificate of the connection. Resolves to what was refused, undefined when it worked. */
  readonly signIn: (token?: string) => Promise<string | undefined>;
  readonly signOut: () => Promise<void>;
  /** Some answer was 401: the session may have ended. */
  readonly suspect: () => void;
  /** The headers that a request needs in this session. */
  readonly headers: (request: HttpRequest) => Record<string, string>;
};

export function createSessionControl(fetch?: typeof globalThis.fetch): SessionControl {
  const state = createStore<SessionState>({phase: 'loading'});
  const headers = (request: HttpRequest): Record<string, string> => {
    const now = state.get();
    const token = now.phase === 'in' ? now.session.csrfToken : '';
    return isUnsafe(request) && token !== '' ? {[CSRF_HEADER]: token} : {};
  };
  const transport: Transport = createFetchTransport({fetch, headers});
  const load = async (note?: string): Promise<void> => {
    try {
      const next = stateOf(await transport.send({method: 'GET', path: PATH}));
      state.set(next.phase === 'out' && note !== undefined ? {...next, note} : next);
    } catch (error) {
      // A short outage of the server ends no session.
      if (state.get().phase === 'loading' || !(error instanceof TransportError))
        state.set({phase: 'failed', text: errorText(error)});
    }
  };
  let suspicion: Promise<void> | undefined;
  return {
    state,
    headers,
    load: () => load(),
    signIn: async token => {
      const body = JSON.stringify(token === undefined ? {} : {token});
      try {
        const answer = await transport.send({method: 'POST', path: PATH, body});
        if (answer.status >= 300) return refusalText(answer, `The server answered ${answer.status}.`);
        state.set(stateOf({...answer, status: 200}));
        return undefined;
      } catch (error) {
        return errorText(error);
      }
    },
    signOut: async () => {
      const answer = await transport.send({method: 'DELETE', path: PATH});
      if (answer.status >= 300 && answer.status !== 401)
        throw new Error(refusalText(answer, `The server answered ${answer.status} to DELETE ${PATH}.`));
      await load('You have signed out.');
    },
    suspect: () => {
      if (state.get().phase !== 'in') return;
      if (suspicion !== undefined) return;
      suspicion = load('Your session has ended. Sign in again to continue.').finally(() => {
        suspicion = undefined;
      });
    },
  };
}
