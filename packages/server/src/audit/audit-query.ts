// SPDX-License-Identifier: Apache-2.0
/** Which events of an audit log are asked for: by flags of `palisade audit`, and by parameters of `GET /audit`. */
import type {AuditEvent} from '@palisade/apiserver';

/** Parameters that choose by one text. */
export const AUDIT_TEXTS = ['user', 'verb', 'resource', 'namespace', 'name', 'decision', 'code'] as const;
type AuditText = (typeof AUDIT_TEXTS)[number];

export type AuditQuery = {readonly [text in AuditText]?: string | undefined} & {
  /** Milliseconds since the epoch; from then on, and before then. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  /** Only the newest; not for a stream. */
  readonly limit?: number | undefined;
  readonly follow: boolean;
  /** Also the stages that come before the last one of a request. */
  readonly allStages: boolean;
};

/** One line of a log; undefined: it is no event. */
export const parseAuditLine = (line: string): AuditEvent | undefined => {
  try {
    const event = JSON.parse(line) as AuditEvent | null;
    return event?.kind === 'Event' && typeof event.stageTimestamp === 'string' ? event : undefined;
  } catch {
    return undefined;
  }
};

/** A refused credential is written when it is refused only. */
const isLast = ({stage, responseStatus}: AuditEvent): boolean =>
  stage === 'ResponseComplete' || stage === 'Panic' || (stage === 'ResponseStarted' && responseStatus?.code === 401);

/** `threats`, `endpoints/threats`, `endpoints.ids.googleapis.com`, or the path of what is no resource. */
const isResource = ({objectRef, requestURI}: AuditEvent, asked: string): boolean => {
  if (asked.startsWith('/')) return requestURI === asked || requestURI.startsWith(`${asked}?`);
  const {resource = '', subresource = '', apiGroup = ''} = objectRef ?? {};
  if (resource === '') return false;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return [resource, whole, subresource, `${resource}.${apiGroup}`].includes(asked);
};

const TESTS: {readonly [text in AuditText]: (event: AuditEvent, asked: string) => boolean} = {
  user: ({user, impersonatedUser}, asked) => user.username === asked || impersonatedUser?.username === asked,
  verb: ({verb}, asked) => verb === asked,
  resource: isResource,
  namespace: ({objectRef}, asked) => (objectRef?.namespace ?? '') === asked,
  name: ({objectRef}, asked) => objectRef?.name === asked,
  decision: ({annotations, responseStatus}, asked) =>
    (annotations?.['authorization.k8s.io/decision'] ?? (responseStatus?.code === 401 ? 'forbid' : '')) === asked,
  code: ({responseStatus}, asked) => String(responseStatus?.code ?? '') === asked,
};

/** Whether an event is asked for. */
export const matchesAudit = (event: AuditEvent, query: AuditQuery): boolean => {
  if (!query.allStages && !isLast(event)) return false;
  const ms = Date.parse(event.stageTimestamp);
  if (query.sinceMs !== undefined && ms < query.sinceMs) return false;
  if (query.untilMs !== undefined && ms >= query.untilMs) return false;
  return AUDIT_TEXTS.every(name => {
    const asked = query[name];
    return asked === undefined || TESTS[name](event, asked);
  });
};
