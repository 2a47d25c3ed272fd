// SPDX-License-Identifier: Apache-2.0
/** Loaded only where an issuer is configured: the library for JWTs takes some MiB. */
export {foreignValue} from './foreign-value.ts';
export {type KeySet, parseKeySet} from './key-set.ts';
export {type IssuerKeySource, oidcTokenSource} from './oidc-source.ts';
