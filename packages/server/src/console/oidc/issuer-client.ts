// SPDX-License-Identifier: Apache-2.0
/**
 * The console as a client of one issuer: authorization code with PKCE, state and nonce. Loaded at the first sign-in, as it brings the
 * library. Ref: OpenID Connect Core 1.0 sections 3.1 and 12; RFC 7636; RFC 9700 section 2.1.
 */
import * as openid from 'openid-client';
import type {Issuer} from '../../auth/oidc/open-issuer.ts';
import {httpsFetch} from './https-fetch.ts';
import {GrantEndedError, type IssuedTokens, type IssuerClient} from './issued-tokens.ts';

const ANSWER_SECONDS = 10;

/** The method that the issuer has; the one of every issuer is preferred. Ref: RFC 6749 section 2.3.1. */
const byMethodOf =
  (secret: string): openid.ClientAuth =>
  (server, client, body, headers) => {
    const known = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isPost = known.includes('client_secret_post') && !known.includes('client_secret_basic');
    const method = isPost ? openid.ClientSecretPost(secret) : openid.ClientSecretBasic(secret);
    method(server, client, body, headers);
  };

const issuedIn = (tokens: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers): IssuedTokens => {
  const claims = tokens.claims();
  if (tokens.id_token === undefined || claims === undefined) throw new GrantEndedError('no ID token came');
  const {id_token: idToken, refresh_token: refreshToken} = tokens;
  return {idToken, idTokenEndsMs: claims.exp * 1_000, refreshToken};
};

/** What some errors mean to the person who signs in. Ref: RFC 6749 section 4.1.2.1. */
const REFUSALS: ReadonlyMap<string, string> = new Map([
  ['access_denied', 'the sign-in was cancelled, or the issuer does not admit this user'],
  ['temporarily_unavailable', 'the issuer is overloaded or under maintenance, try again later'],
]);

/** In words, with the reason below it: the library's own says little. */
export const whyFailed = (error: unknown): string => {
  if (error instanceof openid.AuthorizationResponseError) {
    const {error: name, error_description: detail} = error;
    return `${REFUSALS.get(name) ?? 'the issuer refused the sign-in'}: ${name}${detail === undefined ? '' : ` (${detail})`}`;
  }
  if (error instanceof openid.ResponseBodyError) return `the issuer refused the code: ${error.error}`;
  const {message, cause} = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
};

const NO_ANSWER: ReadonlySet<string | undefined> = new Set([
  ...['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'],
]);

/** The browser brought something wrong, or the issuer refused what it brought. Else the issuer could not be asked. */
export const isRefusal = (error: unknown): boolean => {
  if (error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError) return true;
  return error instanceof openid.ClientError && error.code?.startsWith('OAUTH_') === true && !NO_ANSWER.has(error.code);
};

/** Rejects with the reason in words when the issuer cannot be reached, or is another one. */
export const openIssuerClient = async (issuer: Issuer): Promise<IssuerClient> => {
  const {config, ca, clientSecret} = issuer;
  const authentication = clientSecret === undefined ? openid.None() : byMethodOf(clientSecret);
  const options = {[openid.customFetch]: httpsFetch(ca), timeout: ANSWER_SECONDS};
  const client = await openid.discovery(new URL(config.issuerUrl), config.clientId, {}, authentication, options);
  return {
    issuer,
    startUrl: async redirectUri => {
      const secrets = {
        ...{state: openid.randomState(), nonce: openid.randomNonce(), verifier: openid.randomPKCECodeVerifier()},
      };
      const url = openid.buildAuthorizationUrl(client, {
        redirect_uri: redirectUri,
        scope: ['openid', ...config.scopes].join(' '),
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(secrets.verifier),
        code_challenge_method: 'S256',
      });
      return {url: url.href, secrets};
    },
    finish: async (url, {state, nonce, verifier}) => {
      const checks = {expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true};
      return issuedIn(await openid.authorizationCodeGrant(client, url, checks));
    },
    refresh: async refreshToken => {
      try {
        return issuedIn(await openid.refreshTokenGrant(client, refreshToken));
      } catch (error) {
        if (error instanceof openid.ResponseBodyError) throw new GrantEndedError(error.error, {cause: error});
        throw error;
      }
    },
  };
};
