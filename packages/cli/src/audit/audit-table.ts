// SPDX-License-Identifier: Apache-2.0
/** Audit events as the rows of a table. */
import type {AuditEvent} from '@palisade/apiserver';
import {terminalCell} from '../command-line/terminal-text.ts';
import {streamRow} from '../text/table.ts';

const COLUMNS: readonly (readonly [head: string, width: number, text: (event: AuditEvent) => string])[] = [
  ['TIME', 26, ({stageTimestamp}) => stageTimestamp.replace(/(\.\d{3})\d*Z$/, '$1Z')],
  ['USER', 22, userText],
  ['VERB', 10, ({verb}) => verb],
  ['CODE', 6, ({responseStatus}) => String(responseStatus?.code ?? '-')],
  ['FROM', 17, ({sourceIPs = []}) => sourceIPs.at(-1) ?? '-'],
  ['RESOURCE', 34, resourceText],
  ['NAME', 0, nameText],
];

/** `bob (anna)`: anna acted as bob. */
function userText({user, impersonatedUser}: AuditEvent): string {
  const who = user.username ?? '-';
  return impersonatedUser === undefined ? who : `${impersonatedUser.username ?? '-'} (${who})`;
}

function resourceText({objectRef, requestURI}: AuditEvent): string {
  const {resource = '', subresource = '', apiGroup = ''} = objectRef ?? {};
  if (resource === '') return requestURI.split('?', 1)[0] ?? '';
  return `${resource}${apiGroup === '' ? '' : `.${apiGroup}`}${subresource === '' ? '' : `/${subresource}`}`;
}

function nameText({objectRef}: AuditEvent): string {
  const {namespace = '', name = ''} = objectRef ?? {};
  if (name === '') return namespace === '' ? '-' : `${namespace}/`;
  return namespace === '' ? name : `${namespace}/${name}`;
}

export const AUDIT_HEAD = streamRow(COLUMNS.map(([head, width]) => [head, width]));
export const auditRow = (event: AuditEvent): string =>
  streamRow(COLUMNS.map(([, width, text]) => [terminalCell(text(event)), width]));
