// SPDX-License-Identifier: Apache-2.0
/** Failures in words for people: what the server said, as it said it. */
import {isIdsError, isKubeError, isTransportError} from '@palisade/client/browser';
import {missingPermissionText} from './rights/right.ts';

/** A capital at the beginning of a sentence; names of fields and objects remain as they are. */
export function capital(text: string): string {
  const isSentence = /^[a-z]+ (?!")/.test(text);
  return isSentence ? text.slice(0, 1).toUpperCase() + text.slice(1) : text;
}

/** `endpoints "web" is forbidden: User "jane" cannot …`: what follows is a sentence that names all of it again. */
const FORBIDDEN = /^(?:\S+(?: "[^"]*")? is )?forbidden: (?=User ")/;

/** A sentence of its own, or the text of a label; never the rest of a sentence. One text: the reason and, where the server names fields, each of them. */
export function errorText(error: unknown): string {
  if (isKubeError(error)) {
    const {message, causes} = error.status;
    const more = causes.flatMap(({field, message: why}) =>
      field === undefined || why === undefined || message.includes(why) ? [] : [`${field}: ${why}`],
    );
    return [capital(message.replace(FORBIDDEN, '')), ...more].join('\n');
  }
  if (isIdsError(error)) {
    const fields = error.violations.map(({field, description}) => `${field}: ${description}`);
    return [capital(error.message), ...fields.filter(text => !error.message.includes(text))].join('\n');
  }
  return capital(error instanceof Error ? error.message : String(error));
}

/** `Permission 'ids.threats.getEvidence' denied on resource '//SERVICE/projects/p/…' (or it may not exist).` */
const DENIED = /^Permission '([^']+)' denied on resource '\/\/[^/]+\/([^']+)'/;

/** A refusal that is part of an answer, in the words of a button that is off; other reasons as they are. */
export function refusalWords(reason: string): string {
  const [, permission, resource] = DENIED.exec(reason) ?? [];
  return permission === undefined || resource === undefined ? reason : missingPermissionText(permission, resource);
}

/** Whether asking again later may help. */
export function isPassing(error: unknown): boolean {
  if (isTransportError(error))
    return error.code === 'unreachable' || error.code === 'timeout' || error.code === 'broken';
  if (isKubeError(error)) return error.status.code === 429 || error.status.code >= 500;
  return isIdsError(error, 'UNAVAILABLE') || isIdsError(error, 'RESOURCE_EXHAUSTED') || isIdsError(error, 'INTERNAL');
}

/** The request was cancelled by the page itself. */
export const isAborted = (error: unknown): boolean =>
  (isTransportError(error) && error.code === 'aborted') ||
  (error instanceof DOMException && error.name === 'AbortError');

/** The credential is no longer valid, at the beginning of a request or in the middle of a stream. */
export const isUnauthenticated = (error: unknown): boolean =>
  (isKubeError(error) && error.status.code === 401) || isIdsError(error, 'UNAUTHENTICATED');

/** The right that is missing, where the server refused for that; as it names it. */
export const isForbidden = (error: unknown): boolean =>
  (isKubeError(error) && error.status.code === 403) || isIdsError(error, 'PERMISSION_DENIED');
