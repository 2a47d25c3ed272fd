// SPDX-License-Identifier: Apache-2.0
/**
 * What one request leaves in the audit log, put together while it is answered.
 *
 *   identified → asked → (impersonated, decided, requested, answered, failed) → completed
 *
 * Until `asked` nobody knows whether it is written at all. A request that is refused (401, 403) is written at level Metadata at
 * least, also where the policy omits it. Ref: kubernetes v1.36 apiserver/pkg/endpoints/filters/{audit,authn_audit}.go.
 */

import {certificateId} from '../../authn/certificate-id.ts';
import type {Decision} from '../../authz/authorizer.ts';
import type {UserInfo} from '../../identity/authenticator.ts';
import {credentialsOf} from '../credentials.ts';
import {type HttpRequest, type HttpResponse, headerOf, isGone} from '../exchange.ts';
import {
  type AuditEvent,
  type AuditLevel,
  type AuditObjectRef,
  type AuditStage,
  type AuditStatus,
  auditUser,
  isLess,
  microTime,
} from './event.ts';
import {withoutBodyText, withoutCredentials} from './never-written.ts';
import type {AuditAttributes, AuditRule} from './policy.ts';
import {sourceIpsOf} from './source-ips.ts';

/** The log that events go to, and the policy that decides about them. */
export interface Auditor {
  /** Milliseconds since the epoch. */
  now(): number;
  /** For a request that gives no id of its own. */
  newId(): string;
  ruleFor(attributes: AuditAttributes): AuditRule;
  /** The bodies of such a request are in no event, also where the policy asks for them. */
  hasSecretBodies(attributes: AuditAttributes): boolean;
  /**
   * Takes an event. Undefined: it is in the queue, or was counted as dropped. A promise: resolves when it is in the file, or was
   * counted as failed; rejects only where such a request has to fail.
   */
  write(event: AuditEvent): Promise<void> | undefined;
  /** A request fails whose first event cannot be written: so there is always one, also where the policy omits the stage. */
  readonly isStrict: boolean;
}

export type AuditedRequest = {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly auditId: string;
};

/** Beyond it a body is left out of its event. */
const BODY_CHARS_MAX = 1024 * 1024;
const AGENT_CHARS_MAX = 1024;
const AGENT_CUT = '...TRUNCATED';
const ID_CHARS_MAX = 1_000;
const REASON_CHARS_MAX = 1_000;

const NONE: AuditRule = {level: 'None', omitStages: new Set(), omitManagedFields: false};
const isRefusal = ({code}: AuditStatus): boolean => code === 401 || code === 403;

/** JSON text, or undefined when there is no body; throws for one that is not what was asked for, and so is in no event. */
export type BodyText = () => string | undefined;

const undecoded: BodyText = () => {
  throw new TypeError('not decoded');
};

export class AuditTrail {
  readonly #auditor: Auditor;
  readonly #of: AuditedRequest;
  readonly #uri: string;
  readonly #receivedMs: number;
  /** As it was when the request began: a connection that ended has no address. */
  readonly #sourceIps: readonly string[];
  readonly #annotations: Record<string, string> = {};
  #rule = NONE;
  #user: UserInfo | undefined;
  #impersonated: UserInfo | undefined;
  #attributes: AuditAttributes | undefined;
  #object: () => AuditObjectRef = () => ({});
  #requestBody: BodyText | undefined;
  #responseBody: BodyText | undefined;
  #failure: AuditStatus | undefined;
  /** Which credentials were shown in vain. */
  #attempted: string | undefined;
  #hasMain = false;
  #isPanic = false;
  #isWithheld = false;
  /** The body of the request is in no event; a refusal that quotes it neither. */
  #isLeftOut = false;
  #isForbidden = false;
  #isReceived = false;
  #isStream = false;
  #isDone = false;

  constructor(auditor: Auditor, of: AuditedRequest) {
    this.#auditor = auditor;
    this.#of = of;
    this.#uri = of.request.url ?? '/';
    this.#receivedMs = auditor.now();
    this.#sourceIps = sourceIpsOf(of.request, credentialsOf(of.request).remoteAddress);
  }

  /** Who showed the credential. */
  identified(user: UserInfo): void {
    this.#user = user;
  }

  /**
   * What the request asks for; the policy decides now. Of several questions the last is shown unless an earlier one `isMain`, and the
   * highest level counts. Rejects where the request has to fail because nothing can be written of it.
   */
  asked(attributes: Omit<AuditAttributes, 'user'>, isMain = false): Promise<void> | undefined {
    this.#judge(attributes, isMain);
    if (this.#rule.level === 'None' || this.#isReceived) return undefined;
    this.#isReceived = true;
    const isOmitted = this.#rule.omitStages.has('RequestReceived') && !this.#auditor.isStrict;
    return isOmitted ? undefined : this.#write('RequestReceived', undefined, this.#level);
  }

  #judge(asked: Omit<AuditAttributes, 'user'>, isMain = false): void {
    const attributes = {...asked, user: this.#user};
    if (!this.#hasMain) this.#attributes = attributes;
    this.#hasMain ||= isMain;
    const rule = this.#auditor.ruleFor(attributes);
    if (isLess(this.#rule.level, rule.level) || this.#rule === NONE) this.#rule = rule;
    if (this.#auditor.hasSecretBodies(attributes)) this.withhold();
  }

  /** The bodies of this request are secret: they are in no event. */
  withhold(): void {
    this.#isWithheld = true;
  }

  get #level(): AuditLevel {
    const {level} = this.#rule;
    return this.#isWithheld && isLess('Metadata', level) ? 'Metadata' : level;
  }

  /** A user that the request acts as instead. */
  impersonated(user: UserInfo): void {
    if (user !== this.#user) this.#impersonated = user;
  }

  /** Of several decisions the last one is shown; a refusal is written also where the request was answered without what it forbids. */
  decided({allowed, reason = ''}: Decision): void {
    this.#isForbidden ||= !allowed;
    this.annotate('authorization.k8s.io/decision', allowed ? 'allow' : 'forbid');
    this.annotate('authorization.k8s.io/reason', reason);
  }

  annotate(key: string, value: string): void {
    this.#annotations[key] = value;
  }

  /** Adds to an annotation that names several things. */
  annotateMore(key: string, value: string): void {
    const before = this.#annotations[key]?.split(',') ?? [];
    if (!before.includes(value)) this.annotate(key, [...before, value].join(','));
  }

  /** The object that was written or read, as far as the request itself does not name it; asked for when an event is written. */
  object(ref: () => AuditObjectRef): void {
    this.#object = ref;
  }

  /** What the request was decoded as. Called at most once, when all is done, and only if the level asks for it. */
  requested(body: BodyText): void {
    this.#requestBody = body;
  }

  /** There is a body; it stays out of the events unless `requested` follows. */
  received(): void {
    this.#requestBody = undecoded;
  }

  /** The same of the answer. */
  answered(body: BodyText): void {
    this.#responseBody = body;
  }

  get omitsManagedFields(): boolean {
    return this.#rule.omitManagedFields;
  }

  /** The refusal or failure that is answered; `isPanic`: nobody expected it. */
  failed(status: AuditStatus, isPanic = false): void {
    this.#failure = this.#attempted === undefined ? status : {...status, message: this.#attempted};
    this.#isPanic = isPanic;
  }

  /**
   * The credential is wrong: the refusal follows. A verb that is not known yet is the method. `reason` repeats no secret; a certificate is
   * named although it no longer counts.
   */
  unauthenticated(attributes: Omit<AuditAttributes, 'user'>, reason = ''): void {
    const {request} = this.#of;
    const {clientCertificate} = credentialsOf(request);
    if (reason !== '') this.annotate('palisade.io/credential-refused', reason.slice(0, REASON_CHARS_MAX));
    if (clientCertificate !== undefined)
      this.annotate(
        'palisade.io/credential',
        `${certificateId(clientCertificate)}, CN=${clientCertificate.commonName}`,
      );
    this.#judge({...attributes, verb: attributes.verb || (request.method ?? '').toLowerCase()});
    this.#attempted = attemptedText(request);
  }

  /** The head of an answer is out that lasts; `end` says when it has ended. */
  started(code = 200, end: {once(event: 'close', action: () => void): unknown} = this.#of.response): void {
    this.#isStream = true;
    void this.#stage('ResponseStarted', {code});
    if (isGone(this.#of.response)) this.#finish({code});
    else end.once('close', () => this.#finish(this.#failure ?? {code}));
  }

  /** All is answered. A stream that lasts is completed when it has ended. `fallback`: for what ended before it asked for anything. */
  completed(fallback: () => Omit<AuditAttributes, 'user'>): void {
    if (this.#attributes === undefined) this.#judge(fallback());
    if (this.#isStream) return;
    const {response} = this.#of;
    this.#finish(
      this.#failure ??
        (response.headersSent
          ? {code: response.statusCode}
          : {status: 'Success', message: 'Connection closed early', code: 200}),
    );
  }

  #finish(status: AuditStatus): void {
    if (this.#isDone) return;
    this.#isDone = true;
    // As upstream, a refused credential has one stage, the one in which it is refused.
    const stage = this.#isPanic ? 'Panic' : status.code === 401 ? 'ResponseStarted' : 'ResponseComplete';
    void this.#stage(stage, status);
  }

  #stage(stage: AuditStage, status: AuditStatus): Promise<void> | undefined {
    const isForced = this.#isForbidden || isRefusal(status);
    const level = this.#level;
    if (!isForced && (level === 'None' || this.#rule.omitStages.has(stage))) return undefined;
    return this.#write(stage, status, level === 'None' ? 'Metadata' : level)?.catch(() => {}); // counted where it failed
  }

  #write(stage: AuditStage, status: AuditStatus | undefined, level: AuditLevel): Promise<void> | undefined {
    return this.#auditor.write(this.#eventOf(stage, status, level));
  }

  #eventOf(stage: AuditStage, status: AuditStatus | undefined, level: AuditLevel): AuditEvent {
    const {request, auditId} = this.#of;
    const agent = headerOf(request, 'user-agent') ?? '';
    const isEnd = stage === 'ResponseComplete' || stage === 'Panic';
    const bodies = isEnd ? this.#bodies(level) : {};
    if (level !== this.#rule.level && this.#rule.level !== 'None')
      this.annotate(
        'palisade.io/audit-level-lowered',
        `from ${this.#rule.level}: bodies of this resource are never logged`,
      );
    const annotations = Object.entries(this.#annotations).sort(([a], [b]) => (a < b ? -1 : 1));
    const ref = this.#refOf();
    return {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level,
      auditID: auditId.slice(0, ID_CHARS_MAX),
      stage,
      requestURI: withoutCredentials(this.#uri),
      verb: this.#attributes?.verb ?? '',
      user: this.#user === undefined ? {} : auditUser(this.#user),
      ...(this.#impersonated === undefined ? {} : {impersonatedUser: auditUser(this.#impersonated)}),
      sourceIPs: this.#sourceIps,
      ...(agent === ''
        ? {}
        : {userAgent: agent.length > AGENT_CHARS_MAX ? `${agent.slice(0, AGENT_CHARS_MAX)}${AGENT_CUT}` : agent}),
      ...(ref === undefined ? {} : {objectRef: ref}),
      ...(status === undefined ? {} : {responseStatus: statusOf(status, this.#isLeftOut ? 'Metadata' : level)}),
      ...bodies,
      requestReceivedTimestamp: microTime(this.#receivedMs),
      stageTimestamp: microTime(stage === 'RequestReceived' ? this.#receivedMs : this.#auditor.now()),
      ...(annotations.length === 0 ? {} : {annotations: Object.fromEntries(annotations)}),
    };
  }

  #refOf(): AuditObjectRef | undefined {
    const asked = this.#attributes;
    if (asked?.resourceRequest !== true) return undefined;
    const object = this.#object();
    const named = {
      resource: asked.resource,
      namespace: asked.namespace || object.namespace,
      name: asked.name || object.name,
      uid: object.uid,
      apiGroup: asked.group,
      apiVersion: asked.version,
      resourceVersion: object.resourceVersion,
      subresource: asked.subresource,
    };
    return Object.fromEntries(Object.entries(named).filter(([, text]) => text !== undefined && text !== ''));
  }

  #bodies(level: AuditLevel): Pick<AuditEvent, 'requestObject' | 'responseObject'> {
    if (!isLess('Metadata', level)) return {};
    const requestObject = this.#bodyOf('request', this.#requestBody);
    const responseObject = level === 'RequestResponse' ? this.#bodyOf('response', this.#responseBody) : undefined;
    return {
      ...(requestObject === undefined ? {} : {requestObject}),
      ...(responseObject === undefined ? {} : {responseObject}),
    };
  }

  /** Why one is left out is an annotation. */
  #bodyOf(which: 'request' | 'response', body: BodyText | undefined): unknown {
    try {
      const text = body?.();
      if (text === undefined) return undefined;
      if (text.length <= BODY_CHARS_MAX) return JSON.parse(text);
      this.annotate(`palisade.io/${which}-left-out`, `longer than ${BODY_CHARS_MAX} characters`);
    } catch {
      this.#isLeftOut ||= which === 'request';
      this.annotate(
        `palisade.io/${which}-left-out`,
        which === 'request' ? 'not what the path is for' : 'not readable as JSON',
      );
    }
    return undefined;
  }
}

const statusOf = (full: AuditStatus, level: AuditLevel): AuditStatus & {readonly metadata: object} => {
  const {status, message, reason, details, code} = isLess('Metadata', level) ? full : withoutBodyText(full);
  return {
    metadata: {},
    ...(status === undefined ? {} : {status}),
    ...(message === undefined ? {} : {message}),
    ...(reason === undefined ? {} : {reason}),
    ...(details === undefined ? {} : {details}),
    code,
  };
};

/** Which credentials were shown, in upstream's words. */
const attemptedText = (request: HttpRequest): string => {
  const [scheme = '', ...rest] = (headerOf(request, 'authorization') ?? '').trim().split(' ');
  const methods = [
    ...(rest.length > 0 && /^(basic|bearer)$/i.test(scheme) ? [scheme.toLowerCase()] : []),
    ...(/[?&]access_token=[^&]/.test(request.url ?? '') ? ['access_token'] : []),
    ...(credentialsOf(request).clientCertificate === undefined ? [] : ['x509']),
  ];
  return methods.length === 0
    ? 'Authentication failed, no credentials provided'
    : `Authentication failed, attempted: ${methods.join(', ')}`;
};
