// SPDX-License-Identifier: Apache-2.0
/** Requests that no API saw: what the router and its own routes answer by themselves, in the audit log. */
import {
  type AuditAttributes,
  type Auditor,
  AuditTrail,
  type HttpRequest,
  type HttpResponse,
  type UserInfo,
} from '@palisade/apiserver';
import type {Fault} from '../port/api-errors.ts';

/** Called for a refusal before it is answered. */
export type OnRefused = (request: HttpRequest, response: HttpResponse, fault: Fault) => void;

/** What a request asks for that names no resource. */
export const pathAttributes = ({method = '', url = '/'}: HttpRequest): Omit<AuditAttributes, 'user'> => ({
  ...{verb: method.toLowerCase(), resourceRequest: false, path: url.split('?', 1)[0] ?? '/'},
  ...{group: '', version: '', resource: '', subresource: '', namespace: '', name: ''},
});

/** The answer carries the id of its events: the one of the request, or one of our own. */
const openTrail = (auditor: Auditor, request: HttpRequest, response: HttpResponse): AuditTrail => {
  const auditId = [request.headers['audit-id'] ?? []].flat()[0] || auditor.newId();
  response.setHeader('Audit-Id', auditId);
  return new AuditTrail(auditor, {request, response, auditId});
};

/** Runs `work`; its events are complete however it ends. `auditor` undefined: there is no audit log, and no trail. */
export const audited = async (
  auditor: Auditor | undefined,
  request: HttpRequest,
  response: HttpResponse,
  work: (trail: AuditTrail | undefined) => Promise<void>,
): Promise<void> => {
  const trail = auditor && openTrail(auditor, request, response);
  try {
    await work(trail);
  } finally {
    trail?.completed(() => pathAttributes(request));
  }
};

/** `userOf`: the user of a request, where a refusal says who it was. */
export const auditRefusals =
  (auditor: Auditor | undefined, userOf?: (request: HttpRequest) => UserInfo | undefined): OnRefused =>
  (request, response, {code, reason, message}) => {
    if (auditor === undefined) return;
    const trail = openTrail(auditor, request, response);
    const user = userOf?.(request);
    if (user !== undefined) trail.identified(user);
    trail.failed({status: 'Failure', message, reason, code});
    trail.completed(() => pathAttributes(request));
  };
