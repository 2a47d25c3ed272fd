// SPDX-License-Identifier: Apache-2.0
/** `palisade describe` without a name: every IDS endpoint in a row, with the status of its health. */
import {type IdsClient, type IdsEndpoint, isIdsError, parseEndpointName} from '@palisade/client';
import {terminalJson, terminalText} from '../command-line/terminal-text.ts';
import {allEndpoints} from '../connection/connection.ts';

/** Requests for health that run at the same time. */
export const HEALTH_REQUESTS_MAX = 16;

type ListClient = Pick<IdsClient, 'listEndpoints' | 'getHealth'>;
/** `health` is absent if the endpoint was deleted meanwhile or the user has no permission to read it. */
type Listed = IdsEndpoint & {readonly health?: {readonly status: string}};

const listed = async (client: ListClient, endpoint: IdsEndpoint): Promise<Listed> => {
  if (parseEndpointName(endpoint.name ?? '') === undefined) return endpoint;
  try {
    const {status} = await client.getHealth(endpoint.name ?? '');
    return status === undefined ? endpoint : {...endpoint, health: {status}};
  } catch (error) {
    if (isIdsError(error, 'NOT_FOUND') || isIdsError(error, 'PERMISSION_DENIED')) return endpoint;
    throw error;
  }
};

/** In the order of the list. Throws IdsError and TransportError. */
export async function* endpointsWithHealth(client: ListClient): AsyncGenerator<Listed> {
  let group: IdsEndpoint[] = [];
  const read = () => Promise.all(group.map(endpoint => listed(client, endpoint)));
  for await (const endpoint of allEndpoints(client)) {
    group.push(endpoint);
    if (group.length < HEALTH_REQUESTS_MAX) continue;
    yield* await read();
    group = [];
  }
  yield* await read();
}

const row = (state: string, health: string, severity: string, ip: string, name: string): string =>
  `${state.padEnd(10)}${health.padEnd(10)}${severity.padEnd(15)}${ip.padEnd(17)}${name}\n`;

export const LIST_HEAD = row('STATE', 'HEALTH', 'SEVERITY', 'IP', 'NAME');

export const listRow = ({state, health, severity, endpointIp, name = ''}: Listed): string => {
  const shown = parseEndpointName(name) === undefined ? '-' : name;
  return terminalText(row(state ?? '-', health?.status ?? '-', severity ?? '-', endpointIp ?? '-', shown));
};

export const listJson = (endpoint: Listed): string => `${terminalJson(endpoint)}\n`;
