// SPDX-License-Identifier: Apache-2.0
/** Requests of the IDS API in the audit log, which both APIs share. */
import {type Auditor, type AuditStatus, AuditTrail} from '@palisade/apiserver';
import {httpStatusOf} from '@palisade/ids-wire';
import type {AnyRequest, AnyResponse} from './http/exchange.ts';
import type {RpcError} from './rpc-error.ts';

export type Audits = {
  /** Undefined: there is no audit log. */
  readonly auditor?: Auditor | undefined;
};

const AUDIT_ID = 'audit-id';

/** The answer carries the id of its events, as on the Kubernetes side: the one of the request, or one of our own. */
export const trailFor = ({auditor}: Audits, request: AnyRequest, response: AnyResponse): AuditTrail | undefined => {
  if (auditor === undefined) return undefined;
  const sent = request.headers[AUDIT_ID];
  const auditId = [sent ?? []].flat()[0] || auditor.newId();
  response.setHeader(AUDIT_ID, auditId);
  return new AuditTrail(auditor, {request, response, auditId});
};

export const auditedFailure = ({code, message}: RpcError): AuditStatus => ({
  status: 'Failure',
  message,
  reason: code,
  code: httpStatusOf(code),
});
