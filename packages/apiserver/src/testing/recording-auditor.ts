// SPDX-License-Identifier: Apache-2.0
import type {Auditor} from '../http/audit/audit-trail.ts';
import type {AuditEvent} from '../http/audit/event.ts';
import {type AuditPolicy, auditRules} from '../http/audit/policy.ts';

/** An audit log in memory. */
export const recordingAuditor = (
  policy: AuditPolicy,
  hasSecretBodies: Auditor['hasSecretBodies'],
): Auditor & {readonly events: AuditEvent[]; usePolicy(policy: AuditPolicy): void} => {
  const events: AuditEvent[] = [];
  let rules = auditRules(policy);
  let ids = 0;
  return {
    events,
    now: () => Date.now(),
    newId: () => `id-${++ids}`,
    ruleFor: attributes => rules(attributes),
    usePolicy: next => {
      rules = auditRules(next);
    },
    hasSecretBodies,
    isStrict: false,
    write: event => {
      events.push(event);
      return undefined;
    },
  };
};
