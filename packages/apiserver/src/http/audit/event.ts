// SPDX-License-Identifier: Apache-2.0
/** An event of the audit log as a line of JSON has it. Ref: kubernetes v1.36 apiserver/pkg/apis/audit/v1/types.go; keys are in the order of its structs. */
import type {UserInfo} from '../../identity/authenticator.ts';

/** From the least to the most. */
export const AUDIT_LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type AuditLevel = (typeof AUDIT_LEVELS)[number];
export const AUDIT_STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditStage = (typeof AUDIT_STAGES)[number];

type AuditUser = {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
};

export type AuditObjectRef = {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly subresource?: string;
};

/** The part of a metav1.Status that the log has. */
export type AuditStatus = {
  readonly status?: string | undefined;
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: object | undefined;
  readonly code: number;
};

export type AuditEvent = {
  readonly kind: 'Event';
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditUser;
  readonly impersonatedUser?: AuditUser;
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: AuditObjectRef;
  readonly responseStatus?: AuditStatus & {readonly metadata: object};
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  /** RFC 3339 with six digits of a second. */
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
};

export const isLess = (a: AuditLevel, b: AuditLevel): boolean => AUDIT_LEVELS.indexOf(a) < AUDIT_LEVELS.indexOf(b);

/** metav1.MicroTime. The clock has milliseconds. */
export const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

export const auditUser = ({name, uid, groups, extra}: UserInfo): AuditUser => ({
  username: name,
  ...(uid === undefined || uid === '' ? {} : {uid}),
  ...(groups.length === 0 ? {} : {groups}),
  ...(extra === undefined || Object.keys(extra).length === 0 ? {} : {extra}),
});
