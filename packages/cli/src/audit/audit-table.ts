// SPDX-License-Identifier: Apache-2.0
/** Audit events as the rows of a table. */
import type {AuditEvent} from '@palisade/apiserver';
import {terminalCell} from '../command-line/terminal-text.ts';
import {streamRow} from '../text/table.ts';

const COLUMNS: readonly (readonly [head: string, width: number, text: (event: AuditEvent) => string])[] = [
  ['TIME', 26, ({stageTimestamp}) => stageTimestamp.replace(/(\.\d{3})\d*Z$/, '$1Z')],
  ['USER', 22, userText],
  ['VERB', 10, ({verb}) => verb],
  ['CODE', 8, codeText],
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

/** `200...`: the answer goes on; another row follows when it has ended. */
function codeText({responseStatus, stage}: AuditEvent): string {
  const {code} = responseStatus ?? {};
  if (code === undefined) return '-';
  return stage === 'ResponseStarted' && code < 400 ? `${code}...` : String(code);
}

const CELL_CHARS_MAX = 64;

const cellOf = (text: string): string => {
  const cell = terminalCell(text);
  return cell.length > CELL_CHARS_MAX ? `${cell.slice(0, CELL_CHARS_MAX - 3)}...` : cell;
};

/** Rows in pages. A column becomes wider with the first page that has longer texts, and stays so. */
export class AuditTable {
  readonly #widths: number[] = COLUMNS.map(([, width]) => width);
  #hasHead = false;

  page(events: readonly AuditEvent[]): string {
    const rows = events.map(event =>
      COLUMNS.map(([, width, text]) => (width === 0 ? terminalCell(text(event)) : cellOf(text(event)))),
    );
    for (const row of rows)
      for (const [i, cell] of row.entries()) {
        const width = this.#widths[i] ?? 0;
        if (width > 0) this.#widths[i] = Math.max(width, cell.length + 2);
      }
    const head = this.#hasHead ? [] : [COLUMNS.map(([name]) => name)];
    this.#hasHead = true;
    return [...head, ...rows].map(row => streamRow(row.map((cell, i) => [cell, this.#widths[i] ?? 0]))).join('');
  }
}
