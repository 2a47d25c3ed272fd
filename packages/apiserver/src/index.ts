// SPDX-License-Identifier: Apache-2.0

export {humanDuration, tableAge, tableNameColumns} from './answer/columns.ts';
export {certificateAuthenticator} from './authn/certificate-authenticator.ts';
export {inTurn} from './authn/in-turn.ts';
export {LoginLimit, sourceOf, TOO_MANY_LOGINS} from './authn/login-limit.ts';
export {OIDC_SIGNING_ALGS, type OidcSettings} from './authn/oidc/oidc-settings.ts';
export {tokenAuthenticator} from './authn/token-authenticator.ts';
export {digestOf as digestOfToken, parseTokenFile, TokenFileError, type TokenTable} from './authn/token-file.ts';
export {findToken, type TokenAnswer, type TokenSource} from './authn/token-source.ts';
export {tokenTableSource} from './authn/token-table-source.ts';
export {serviceAccountGroups, serviceAccountUser} from './authn/user-name.ts';
export * from './authz/authorizer.ts';
export {credentialKey} from './authz/credential-key.ts';
export {accessFault} from './authz/forbidden-access.ts';
export {type Kept, type LostRight, OpenRights} from './authz/open-rights.ts';
export {compactRules, quotedList, RulePartsError, ruleAllows, ruleText, uncovered} from './authz/rules.ts';
export {Buckets} from './base/buckets.ts';
export * from './base/compat.ts';
export type {Headers} from './base/headers.ts';
export * from './base/limits.ts';
export * from './base/log.ts';
export * from './base/object.ts';
export {QUEUE_BUCKETS_S, QueueCounts, Queues} from './base/queue-counts.ts';
export * from './base/status-error.ts';
export * from './base/time.ts';
export {toStatus} from './base/to-status.ts';
export {CachedObject, decodeItem} from './cache/cached-object.ts';
export type {CacheEvent} from './cache/event-log.ts';
export {EVENT_BYTES_BUCKETS, SentEvents} from './cache/watch/sent-events.ts';
export {resourcePrefix} from './cache/watch-cache.ts';
export {CompatError} from './compat-store.ts';
export type {Bootstrap, Controller, ControllerFactory, ControllerHost, KindModule} from './controllers/controller.ts';
export {deletionTimers} from './controllers/deletion-timers.ts';
export {expireAfter} from './controllers/expiry.ts';
export {garbageCollection} from './controllers/garbage-collector.ts';
export {WorkQueue, type WorkQueueOptions} from './controllers/work-queue.ts';
export * from './fairness/fairness.ts';
export {type LaneCounts, WAIT_BUCKETS_S, type WaitTimes} from './fairness/lane-counts.ts';
export {forOthers, isAdministrator} from './fairness/user-bound.ts';
export {type Auditor, AuditTrail} from './http/audit/audit-trail.ts';
export * from './http/audit/event.ts';
export {withoutCredentials} from './http/audit/never-written.ts';
export * from './http/audit/policy.ts';
export {truncated} from './http/audit/released-holds.ts';
export {RequestCounts} from './http/counts/request-counts.ts';
export {DURATION_BUCKETS_S, type RequestSeries, SIZE_BUCKETS, SLI_BUCKETS_S} from './http/counts/request-series.ts';
export {credentialsOf} from './http/credentials.ts';
export {
  ClientGoneError,
  cutOff,
  drained,
  type HttpRequest,
  type HttpResponse,
  isGone,
  sendHead,
} from './http/exchange.ts';
export type {HealthCheck} from './http/health.ts';
export {type AskedFor, impersonate, LastModes} from './http/impersonate.ts';
export {type RequestHeaders, wantedUserOf} from './http/impersonation-headers.ts';
export type {DocumentRoute, NonResourceExchange} from './http/non-resource.ts';
export {type Client, clientOf, withSeats} from './http/seats.ts';
export {type AnswerAccount, UnreadAnswers} from './http/unread-answers.ts';
export {Warnings} from './http/warnings.ts';
export {serveUpgrades} from './http/websocket/upgrades.ts';
export {BODY_PIECE_BYTES, inPieces, writePieces} from './http/write-pieces.ts';
export * from './identity/authenticator.ts';
export * from './kind/kind.ts';
export {KindError} from './kind/kind-faults.ts';
export {
  validateFinalizerName,
  validateObjectMeta,
  validateObjectMetaChange,
} from './kind/meta/validate-object-meta.ts';
export * from './kube-api.ts';
export {asksForWebSocket} from './request/handshake.ts';
export {PLAIN_DELETE} from './request/options/delete-options.ts';
export {apply} from './verbs/apply.ts';
export {NAMESPACE_REQUIRED, nameParameterFault} from './verbs/name-parameter.ts';
export {createObject} from './verbs/object/create-object.ts';
export {deleteObject} from './verbs/object/delete-object.ts';
export type {RequestContext, Services} from './verbs/object/request-context.ts';
export {trackFields} from './verbs/object/track-fields.ts';
export {updateObject} from './verbs/object/update-object.ts';
