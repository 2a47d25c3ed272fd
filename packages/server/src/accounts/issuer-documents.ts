// SPDX-License-Identifier: Apache-2.0
/**
 * What others need to check tokens of service accounts by themselves.
 * Ref: kubernetes v1.36 pkg/serviceaccount/openidmetadata.go, pkg/routes/openidmetadata.go.
 */
import type {DocumentRoute} from '@palisade/apiserver';
import {answerText} from '../port/answer-text.ts';
import type {Issuer} from './signed-tokens.ts';
import {SIGNING_ALGORITHM} from './signing-key.ts';

export const CONFIGURATION_PATH = '/.well-known/openid-configuration';
export const KEYS_PATH = '/openid/v1/jwks';

const documentOf = (path: string, issuer: Issuer, publicUrl: string): {type: string; body: object} | undefined => {
  const {kty, crv, x, y} = issuer.key.publicKey.export({format: 'jwk'});
  if (path === KEYS_PATH) {
    const key = {use: 'sig', kty, kid: issuer.key.id, crv, alg: SIGNING_ALGORITHM, x, y};
    return {type: 'application/jwk-set+json', body: {keys: [key]}};
  }
  if (path !== CONFIGURATION_PATH) return undefined;
  const body = {
    issuer: issuer.url,
    jwks_uri: `${publicUrl}${KEYS_PATH}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [SIGNING_ALGORITHM],
  };
  return {type: 'application/json', body};
};

export const issuerDocuments =
  (issuer: Issuer, publicUrl: () => string): DocumentRoute =>
  ({info, method, response}) => {
    const found = documentOf(info.path.replace(/\/$/, ''), issuer, publicUrl());
    if (found === undefined) return false;
    if (method === 'GET')
      answerText(
        response,
        200,
        {'content-type': found.type, 'cache-control': 'public, max-age=3600'},
        JSON.stringify(found.body),
      );
    else
      answerText(response, 405, {allow: 'GET', 'content-type': 'text/plain; charset=utf-8'}, '405: Method Not Allowed');
    return true;
  };
