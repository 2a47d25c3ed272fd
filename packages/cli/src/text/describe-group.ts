// SPDX-License-Identifier: Apache-2.0
/** The members of an EndpointGroup, one line for each address and port; `--json` has every result. */
import type {KubeObject} from '@palisade/client';
import {terminalCell} from '../command-line/terminal-text.ts';
import {agoText, timeText} from './figures.ts';
import {alignedRows} from './table.ts';

type Result = {readonly passed?: boolean};
type Port = {
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: string;
  readonly state?: string;
  readonly since?: string;
  readonly lastError?: string;
  readonly results?: readonly Result[];
};
type Member = {
  readonly ip?: string;
  readonly registration?: string;
  readonly draining?: boolean;
  readonly ports?: readonly Port[];
};
type Group = KubeObject & {
  readonly status?: {readonly ready?: number; readonly total?: number; readonly members?: readonly Member[]};
};

/** Fields of its status that are shown here. */
export const GROUP_STATUS_SHOWN: readonly string[] = ['ready', 'total', 'members'];

export const isGroup = (object: KubeObject): object is Group =>
  object.kind === 'EndpointGroup' && object.apiVersion?.startsWith('platform.io/') === true;

/** `2 of 3 ready`. */
export const groupCount = ({status: {ready = 0, total = 0} = {}}: Group): string => `${ready} of ${total} ready`;

export const memberLines = ({status: {members = []} = {}}: Group, nowMs: number): string =>
  alignedRows(
    members.flatMap(member => {
      const {ports = []} = member;
      const address = addressText(member);
      return ports.length === 0 ? [[address, 'no port']] : ports.map(port => [address, ...portCells(port, nowMs)]);
    }),
    '  ',
  );

const addressText = ({ip = '', registration, draining = false}: Member): string => {
  const notes = [...(registration === undefined ? [] : [registration]), ...(draining ? ['draining'] : [])];
  return notes.length === 0 ? ip : `${ip} (${notes.join(', ')})`;
};

const portCells = (port: Port, nowMs: number): readonly string[] => {
  const {name, port: number = 0, protocol = 'TCP', state = '', since = ''} = port;
  const sinceText = since === '' ? '' : `since ${timeText(since)}${agoText(since, nowMs)}`;
  return [`${name === undefined ? '' : `${name} `}${number}/${protocol}`, state, sinceText, resultsText(port)];
};

/** Results are there the newest first. */
const resultsText = ({state, lastError = '', results = []}: Port): string => {
  if (state === 'Unchecked') return 'no check';
  if (results.length === 0) return lastError === '' ? 'no result yet' : `last error: ${terminalCell(lastError)}`;
  const passed = results.filter(result => result.passed === true).length;
  const lastPassed = results.findIndex(result => result.passed === true);
  const failedLately = lastPassed < 0 ? results.length : lastPassed;
  const counts = `${passed} of ${results.length} passed`;
  const since = failedLately > 0 && passed > 0 ? `, the last ${failedLately === 1 ? 'one' : failedLately} failed` : '';
  return `${counts}${since}${lastError === '' ? '' : `, last error: ${terminalCell(lastError)}`}`;
};
