// SPDX-License-Identifier: Apache-2.0
export * from './authn/authenticator.ts';
export {type AskedFor, impersonate, LastModes} from './authn/impersonate.ts';
export {type RequestHeaders, wantedUserOf} from './authn/impersonation-headers.ts';
export {tokenAuthenticator} from './authn/token-authenticator.ts';
export {parseTokenFile, TokenFileError, type TokenTable} from './authn/token-file.ts';
export {serviceAccountUser} from './authn/user-name.ts';
export * from './authz/authorizer.ts';
export {compactRules, quotedList, RulePartsError, ruleAllows, ruleText, uncovered} from './authz/rules.ts';
export {type CachedObject, decodeItem} from './cache/cached-object.ts';
export * from './compat.ts';
export {CompatError} from './compat-store.ts';
export type {Bootstrap, Controller, ControllerFactory, ControllerHost, KindModule} from './controller.ts';
export {deletionTimers} from './gc/deletion-timers.ts';
export {garbageCollection} from './gc/garbage-collector.ts';
export type {HealthCheck} from './health.ts';
export {keptOf} from './http/audit.ts';
export {
  cutOff,
  drained,
  type Headers,
  isGone,
  sendHead,
  type WholeRequest,
  type WholeResponse,
} from './http/exchange.ts';
export type {DocumentRoute} from './http/non-resource.ts';
export {type AnswerAccount, UnreadAnswers} from './http/unread-answers.ts';
export {BODY_PIECE_BYTES, inPieces, writePieces} from './http/write-pieces.ts';
export * from './kind.ts';
export {KindError} from './kind-faults.ts';
export * from './kube-api.ts';
export * from './limits.ts';
export * from './log.ts';
export {validateFinalizerName} from './meta/validate-object-meta.ts';
export * from './object.ts';
export * from './status-error.ts';
export {tableAge, tableNameColumns} from './table/columns.ts';
export * from './time.ts';
export {apply} from './verbs/apply.ts';
export {createObject} from './verbs/create-object.ts';
export {deleteObject} from './verbs/delete-object.ts';
export {NAMESPACE_REQUIRED, nameParameterFault} from './verbs/name-parameter.ts';
export type {RequestContext, Services} from './verbs/request-context.ts';
export {trackFields} from './verbs/track-fields.ts';
export {updateObject} from './verbs/update-object.ts';
export {serveUpgrades} from './websocket/upgrades.ts';
