// SPDX-License-Identifier: Apache-2.0
/** The address of a server as configuration has it. */
import type {CheckFailure} from './provider.ts';

/** Faults of `http(s)://HOST[:PORT][/prefix]`; none when nothing is set. */
export function serverFault(property: string, value: string | undefined): CheckFailure[] {
  if (value === undefined) return [];
  const url = URL.parse(value);
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return [];
  return [{property, reason: `invalid value ${JSON.stringify(value)}: expected http(s)://HOST:PORT`}];
}
