// SPDX-License-Identifier: Apache-2.0
/** `palisade describe` without a name: every IDS endpoint in a row, with its health and what of its packets was lost. */
import {type IdsClient, type IdsEndpoint, isIdsError, parseEndpointName} from '@palisade/client';
import type {EndpointHealthMessage} from '@palisade/ids-wire';
import {terminalJson, terminalText} from '../command-line/terminal-text.ts';
import {allEndpoints} from '../connection/connection.ts';
import {countText, shareText} from './figures.ts';

/** Requests for health that run at the same time. */
export const HEALTH_REQUESTS_MAX = 16;

type ListClient = Pick<IdsClient, 'listEndpoints' | 'getHealth'>;
/** What the list shows of the health. */
type ListedHealth = Pick<EndpointHealthMessage, 'status'> &
  Partial<Pick<EndpointHealthMessage, 'driver' | 'packets' | 'packetLossRatio' | 'blindSeconds'>>;
/** `health` is absent if the endpoint was deleted meanwhile or the user has no permission to read it. */
type Listed = IdsEndpoint & {readonly health?: ListedHealth};

const LISTED = ['status', 'driver', 'packets', 'packetLossRatio', 'blindSeconds'] as const;

const listed = async (client: ListClient, endpoint: IdsEndpoint): Promise<Listed> => {
  if (parseEndpointName(endpoint.name ?? '') === undefined) return endpoint;
  try {
    const health = await client.getHealth(endpoint.name ?? '');
    if (health.status === undefined) return endpoint;
    const fields = LISTED.filter(name => health[name] !== undefined).map(name => [name, health[name]]);
    return {...endpoint, health: Object.fromEntries(fields) as ListedHealth};
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

type Cells = readonly [
  ...[state: string, health: string, severity: string, ip: string, driver: string],
  ...[packets: string, drops: string, loss: string, name: string],
];
/** Of all columns but the last. */
const WIDTHS = [9, 9, 14, 16, 13, 14, 12, 9] as const;
/** These are aligned on the right. */
const FIRST_NUMBER = 5;

const row = (cells: Cells): string =>
  `${cells
    .map((text, at) => {
      const width = WIDTHS[at];
      return width === undefined ? text : at < FIRST_NUMBER ? text.padEnd(width) : text.padStart(width);
    })
    .join(' ')}\n`;

export const LIST_HEAD = row(['STATE', 'HEALTH', 'SEVERITY', 'IP', 'DRIVER', 'RECEIVED', 'DROPPED', 'LOSS', 'NAME']);

/** LOSS is that of the last minute. */
export const listRow = ({state, health, severity, endpointIp = '-', name = ''}: Listed): string => {
  const {status = '-', driver = '-', packets, packetLossRatio} = health ?? {};
  const shown = parseEndpointName(name) === undefined ? '-' : name;
  const received = packets === undefined ? '-' : countText(packets.received);
  const dropped = packets === undefined ? '-' : countText(packets.dropped);
  const loss = packetLossRatio === undefined ? '-' : shareText(packetLossRatio, 1);
  return terminalText(row([state ?? '-', status, severity ?? '-', endpointIp, driver, received, dropped, loss, shown]));
};

export const listJson = (endpoint: Listed): string => `${terminalJson(endpoint)}\n`;
