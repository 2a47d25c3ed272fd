// SPDX-License-Identifier: Apache-2.0
import type {Condition, Holder} from './deletion.ts';
import {objectText} from './object-walk.ts';

/** The objects behind a holder, one a line, each after `indent`. */
export const objectLines = ({objects = [], more = 0}: Holder, indent: string): string =>
  [...objects.map(objectText), ...(more > 0 ? [`and ${more} more`] : [])].map(line => `${indent}${line}\n`).join('');

export const conditionText = ({type, status, reason = '', message = ''}: Condition): string =>
  `${type}=${status}${reason === '' ? '' : ` (${reason})`}${message === '' ? '' : `: ${message}`}`;
