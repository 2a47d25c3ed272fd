// SPDX-License-Identifier: Apache-2.0
/** One row of the list: an endpoint with its health and its threats; and the rows that match the filters. */
import {type IdsEndpoint, type Operation, parseEndpointName} from '@palisade/client/browser';
import type {EndpointHealthMessage, RecordAggregateMessage} from '@palisade/ids-wire';
import {isWell} from './health.ts';

export type EndpointRow = {
  /** Full resource name. */
  readonly name: string;
  readonly project: string;
  readonly location: string;
  readonly id: string;
  readonly network: string;
  readonly severity: string;
  readonly state: string;
  /** What the running operation says; '' without one. */
  readonly progress: string;
  readonly ip: string;
  readonly created: string | undefined;
  /** undefined: not known yet. */
  readonly health: EndpointHealthMessage | undefined;
  /** Packets a second in the last whole minute; undefined: not known. */
  readonly rate: number | undefined;
  /** 0 to 1; undefined: no sensor. */
  readonly loss: number | undefined;
  /** Alerts of the last 24 h; undefined: not known. */
  readonly threats: number | undefined;
  readonly worst: string | undefined;
  /** In lower case. */
  readonly searched: string;
};

const MINUTE_S = 60;

/** `network` without the path in front: `projects/p/global/networks/prod` is `prod`. */
export const shortNetwork = (network: string): string => network.split('/').at(-1) ?? network;

/** @param sums threats by endpoint; undefined: not known */
export function toEndpointRow(
  endpoint: IdsEndpoint,
  health: EndpointHealthMessage | undefined,
  sums: RecordAggregateMessage | undefined,
  running: readonly Operation[],
): EndpointRow {
  const name = endpoint.name ?? '';
  const parts = parseEndpointName(name) ?? {project: '', location: '', endpointId: name};
  const sum = sums?.groups?.find(({key}) => key === name);
  const minute = health?.lossPerMinute?.at(-1);
  const operation = running.find(({metadata}) => metadata?.target === name);
  const {network = '', description = '', labels = {}, endpointIp = ''} = endpoint;
  const labelTexts = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return {
    name,
    project: parts.project,
    location: parts.location,
    id: parts.endpointId,
    network,
    severity: endpoint.severity ?? '',
    state: endpoint.state ?? '',
    progress: operation?.metadata?.statusMessage ?? '',
    ip: endpointIp,
    created: endpoint.createTime,
    health,
    rate: minute === undefined ? undefined : minute.received / MINUTE_S,
    loss: health?.packetLossRatio,
    threats: sums === undefined ? undefined : (sum?.alerts ?? sum?.records ?? 0),
    worst: sum?.highestSeverity,
    searched: [name, network, endpointIp, description, ...labelTexts].join(' ').toLowerCase(),
  };
}

export type RowFilter = {
  /** Words that all must be in the name, network, address, description or labels. */
  readonly q: string;
  /** '' is any. */
  readonly severity: string;
  readonly attention: boolean;
};

/** Not ready, or its sensor is not. While its health is not known, an endpoint needs no attention. */
export const needsAttention = ({state, health}: EndpointRow): boolean =>
  state !== 'READY' || (health !== undefined && !isWell(health));

export function matchingRows(
  rows: readonly EndpointRow[],
  {q, severity, attention}: RowFilter,
): readonly EndpointRow[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(
    row =>
      words.every(word => row.searched.includes(word)) &&
      (severity === '' || row.severity === severity) &&
      (!attention || needsAttention(row)),
  );
}
