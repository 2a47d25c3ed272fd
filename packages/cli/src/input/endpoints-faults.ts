// SPDX-License-Identifier: Apache-2.0
/** What is wrong with Endpoints that a user wrote: shape, then the values of IPs and ports. */
import {formatIp, kubeTypes, parseIpSloppy, parseIpStrict, portNumberFaults} from '@palisade/kube-wire';
import {below, schemaFaults, shown} from './schema-faults.ts';

const ENDPOINTS = 'io.k8s.api.core.v1.Endpoints';
const ADDRESS_LISTS = ['addresses', 'notReadyAddresses'];

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** An address is compared by its text, so it has to be in the one spelling that the server takes. */
const ipFaults = (ip: unknown, path: string): string[] => {
  if (typeof ip !== 'string') return []; // the shape says so
  const bytes = parseIpSloppy(ip);
  if (bytes === undefined)
    return [
      `${path} ${shown(ip)}: not an IP address; write one such as 10.9.8.7 or 2001:db8::1, without port or range`,
    ];
  const strict = parseIpStrict(ip);
  return strict !== undefined && !strict.mapped
    ? []
    : [`${path} ${shown(ip)}: not a spelling that the server accepts; write ${formatIp(bytes)}`];
};

const portFaults = (port: unknown, path: string): string[] =>
  Number.isInteger(port) && portNumberFaults(port as number).length > 0
    ? [`${path} ${shown(port)}: not a port number; write a number from 1 to 65535`]
    : [];

const subsetFaults = (subset: Fields, path: string): string[] => [
  ...ADDRESS_LISTS.flatMap(list =>
    itemsOf(subset[list]).flatMap((address, i) => ipFaults(fieldsOf(address)['ip'], `${path}.${list}[${i}].ip`)),
  ),
  ...itemsOf(subset['ports']).flatMap((port, i) => portFaults(fieldsOf(port)['port'], `${path}.ports[${i}].port`)),
];

/** All faults, each with field, value and way out. `path` of the object; '' for one that stands alone. Metadata is not looked at. */
export const endpointsFaults = (object: Fields, path: string): string[] => {
  const {metadata: _, ...looked} = object;
  return [
    ...schemaFaults(kubeTypes, ENDPOINTS, looked, path),
    ...itemsOf(object['subsets']).flatMap((subset, i) =>
      subsetFaults(fieldsOf(subset), `${below(path, 'subsets')}[${i}]`),
    ),
  ];
};
