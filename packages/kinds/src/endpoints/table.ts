// SPDX-License-Identifier: Apache-2.0
/** What `kubectl get endpoints` prints. Ref: kubernetes v1.36 pkg/printers/internalversion/printers.go printEndpoints, formatEndpoints. */
import {type TableConvertor, tableAge, tableNameColumns} from '@palisade/apiserver';
import {kubeTypes} from '@palisade/kube-wire';
import type {Endpoints} from './types.ts';

const SHOWN_MAX = 3;
const DESCRIPTION = kubeTypes['io.k8s.api.core.v1.Endpoints']?.fields.find(({name}) => name === 'subsets')?.doc ?? '';

const hostPort = (ip: string, port: number): string => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`);

/** Ready addresses as `ip:port`, ports first then addresses; bare IPs where a subset has no ports. */
const formatEndpoints = ({subsets = []}: Endpoints): string => {
  if (subsets.length === 0) return '<none>';
  const shown: string[] = [];
  let count = 0;
  const show = (text: () => string): void => {
    if (++count <= SHOWN_MAX) shown.push(text());
  };
  for (const {addresses = [], ports = []} of subsets) {
    if (ports.length === 0) for (const {ip = ''} of addresses) show(() => ip);
    for (const {port = 0} of ports) for (const {ip = ''} of addresses) show(() => hostPort(ip, port));
  }
  const list = shown.join(',');
  return count > SHOWN_MAX ? `${list} + ${count - SHOWN_MAX} more...` : list;
};

export const endpointsTable: TableConvertor = {
  columns: tableNameColumns([{name: 'Endpoints', type: 'string', format: '', description: DESCRIPTION, priority: 0}]),
  cells: (object, nowMs) => [object.metadata.name ?? '', formatEndpoints(object as Endpoints), tableAge(object, nowMs)],
};
