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
  /** Also the stage in which a request was received. */
  readonly allStages: boolean;
};

/** What every event has, and is read below; a log may hold lines of other programs. */
const isEvent = (event: AuditEvent | null): event is AuditEvent =>
  event?.kind === 'Event' &&
  [event.stageTimestamp, event.requestURI, event.user?.username].every(text => typeof text === 'string');

/** One line of a log; undefined: it is no event. */
export const parseAuditLine = (line: string): AuditEvent | undefined => {
  try {
    const event = JSON.parse(line) as AuditEvent | null;
    return isEvent(event) ? event : undefined;
  } catch {
    return undefined;
  }
};

/** What shows a request: that it ended, or that a stream has begun. Only streams and refused credentials have the latter stage. */
const isShown = ({stage}: AuditEvent): boolean => stage !== 'RequestReceived';

/**
 * `RESOURCE[.GROUP][/SUBRESOURCE]`, a subresource alone, or the path of what is no resource. Without GROUP any group matches; with an
 * empty one (`endpoints.`) the core group does.
 */
const isResource = ({objectRef, requestURI}: AuditEvent, asked: string): boolean => {
  if (asked.startsWith('/')) return requestURI === asked || requestURI.startsWith(`${asked}?`);
  const {resource = '', subresource = '', apiGroup = ''} = objectRef ?? {};
  if (resource === '') return false;
  if (asked === subresource) return true;
  const [, name, group, part] = /^([^./]*)(?:\.([^/]*))?(?:\/(.*))?$/.exec(asked) ?? [];
  return name === resource && [undefined, apiGroup].includes(group) && [undefined, subresource].includes(part);
};

const TESTS: {readonly [text in AuditText]: (event: AuditEvent, asked: string) => boolean} = {
  user: ({user, impersonatedUser}, asked) => user.username === asked || impersonatedUser?.username === asked,
  verb: ({verb}, asked) => verb === asked,
  resource: isResource,
  namespace: ({objectRef}, asked) => (objectRef?.namespace ?? '') === asked,
  name: ({objectRef}, asked) => objectRef?.name === asked,
  decision: ({annotations, responseStatus}, asked) =>
    (annotations?.['authorization.k8s.io/decision'] ?? (responseStatus?.code === 401 ? 'forbid' : '')) === asked,
  code: ({responseStatus}, asked) => responseStatus?.code === Number(asked),
};

/** Whether an event is asked for. */
export const matchesAudit = (event: AuditEvent, query: AuditQuery): boolean => {
  if (!query.allStages && !isShown(event)) return false;
  const ms = Date.parse(event.stageTimestamp);
  if (query.sinceMs !== undefined && ms < query.sinceMs) return false;
  if (query.untilMs !== undefined && ms >= query.untilMs) return false;
  return AUDIT_TEXTS.every(name => {
    const asked = query[name];
    return asked === undefined || TESTS[name](event, asked);
  });
};
