// SPDX-License-Identifier: Apache-2.0
/** The address of a server as configuration and environment have it. */
import {type CheckFailure, ProviderError, type ProviderHost} from './provider.ts';

const VARIABLE = 'PALISADE_SERVER';

/** Faults of `http(s)://HOST[:PORT][/prefix]`; none when nothing is set. */
export function serverFault(property: string, value: string | undefined): CheckFailure[] {
  if (value === undefined) return [];
  const url = URL.parse(value);
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return [];
  return [{property, reason: `invalid value ${JSON.stringify(value)}: expected http(s)://HOST:PORT`}];
}

/** What PALISADE_SERVER says; undefined: nothing. */
export const serverOfEnvironment = ({env}: ProviderHost): string | undefined => env[VARIABLE] || undefined;

/** A fault of the environment is of no property: its reason says what to set. */
export const environmentFault = (variable: string, reason: string): CheckFailure => ({
  property: '',
  reason: `${variable} in the environment: ${reason}`,
});

/** Faults of PALISADE_SERVER. */
export const serverVariableFaults = (host: ProviderHost): CheckFailure[] =>
  serverFault('', serverOfEnvironment(host)).map(({reason}) => environmentFault(VARIABLE, reason));

/** Throws `failed-precondition` where the configuration is not checked before, as when objects of the state are read or deleted. */
export function assertServerVariable(host: ProviderHost): void {
  const [fault] = serverVariableFaults(host);
  if (fault !== undefined) throw new ProviderError('failed-precondition', fault.reason);
}
