// SPDX-License-Identifier: Apache-2.0
/** What no policy can bring into the audit log: credentials in URLs, and texts that quote a body beyond its level. */
import type {AuditStatus} from './event.ts';

/** Parameters that are credentials, as clients may send them; without `$`, `.`, `_`, `-` and case. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  ...['accesstoken', 'oauthtoken', 'bearertoken', 'refreshtoken', 'idtoken', 'token', 'key', 'apikey', 'code'],
  ...['assertion', 'clientsecret', 'secret', 'password'],
]);

const nameOf = (parameter: string): string => parameter.split('=', 1)[0] ?? '';

const isCredential = (parameter: string): boolean => {
  const name = nameOf(parameter);
  try {
    return CREDENTIALS.has(
      decodeURIComponent(name)
        .replace(/[$._-]/g, '')
        .toLowerCase(),
    );
  } catch {
    return false; // no name that an API reads
  }
};

/** The URL with `name=...` for each parameter that is a credential. */
export const withoutCredentials = (url: string): string => {
  const mark = url.indexOf('?');
  if (mark < 0) return url;
  const parameters = url.slice(mark + 1).split('&');
  return `${url.slice(0, mark)}?${parameters.map(each => (isCredential(each) ? `${nameOf(each)}=...` : each)).join('&')}`;
};

/** Refusals whose texts name who asked and what for, and nothing of a body. */
const TEXT_WITHOUT_BODY: ReadonlySet<number> = new Set([401, 403, 404, 405, 409, 410, 429]);

/** A status for an event without the body of its request: the texts of other refusals quote values that were sent. */
export const withoutBodyText = (status: AuditStatus): AuditStatus =>
  TEXT_WITHOUT_BODY.has(status.code) ? status : {status: status.status, reason: status.reason, code: status.code};
