// SPDX-License-Identifier: Apache-2.0
/** The columns that every kind has, and how an age reads. Ref: apimachinery/pkg/util/duration/duration.go HumanDuration. */
import {kubeTypes} from '@palisade/kube-wire';
import type {KubeObject} from '../base/object.ts';
import type {TableColumn} from '../kind/kind.ts';

const metaDoc = (field: string): string =>
  kubeTypes['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta']?.fields.find(({name}) => name === field)?.doc ?? '';

/** Name, the given columns, Age. */
export const tableNameColumns = (own: readonly TableColumn[]): readonly TableColumn[] => [
  {name: 'Name', type: 'string', format: 'name', description: metaDoc('name'), priority: 0},
  ...own,
  {name: 'Age', type: 'string', format: '', description: metaDoc('creationTimestamp'), priority: 0},
];

export const tableAge = ({metadata}: KubeObject, nowMs: number): string =>
  metadata.creationTimestamp == null ? '<unknown>' : humanDuration(nowMs - Date.parse(metadata.creationTimestamp));

const two = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;

/** At most two units, the smaller one only while it matters: 90s, 5m20s, 7h, 3d4h, 2y30d. */
export const humanDuration = (ms: number): string => {
  const seconds = Math.trunc(ms / 1_000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  if (hours < 192) return two(Math.trunc(hours / 24), 'd', hours % 24, 'h');
  if (hours < 24 * 365 * 2) return `${Math.trunc(hours / 24)}d`;
  if (hours < 24 * 365 * 8) return two(Math.trunc(hours / 24 / 365), 'y', Math.trunc(hours / 24) % 365, 'd');
  return `${Math.trunc(hours / 24 / 365)}y`;
};
