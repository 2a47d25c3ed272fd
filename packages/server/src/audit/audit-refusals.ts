// SPDX-License-Identifier: Apache-2.0
/** Requests that no API saw: what the router refused, in the audit log. */
import {type Auditor, AuditTrail, type HttpRequest, type HttpResponse} from '@palisade/apiserver';
import type {Fault} from '../port/api-errors.ts';

/** Called for a refusal before it is answered. */
export type OnRefused = (request: HttpRequest, response: HttpResponse, fault: Fault) => void;

export const auditRefusals =
  (auditor: Auditor | undefined): OnRefused =>
  (request, response, {code, reason, message}) => {
    if (auditor === undefined) return;
    const auditId = [request.headers['audit-id'] ?? []].flat()[0] || auditor.newId();
    response.setHeader('Audit-Id', auditId);
    const trail = new AuditTrail(auditor, {request, response, auditId});
    trail.failed({status: 'Failure', message, reason, code});
    trail.completed(() => ({
      ...{
        verb: (request.method ?? '').toLowerCase(),
        resourceRequest: false,
        path: (request.url ?? '/').split('?')[0] ?? '/',
      },
      ...{group: '', version: '', resource: '', subresource: '', namespace: '', name: ''},
    }));
  };
