// SPDX-License-Identifier: Apache-2.0
import type {OptionTable} from '../command-line/options.ts';
import {serveOptions} from '../serve/serve-options.ts';

export const checkFlags = {
  data: serveOptions.data,
  json: {type: 'boolean', doc: 'print JSON'},
} as const satisfies OptionTable;
export const shrinkFlags = checkFlags;
export const repairFlags = {
  ...checkFlags,
  'accept-loss': {type: 'boolean', doc: 'keep the intact part; copies of the damaged files are kept'},
} as const satisfies OptionTable;
