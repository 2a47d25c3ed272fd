// SPDX-License-Identifier: Apache-2.0
/**
 * What `kubectl get endpointslices` prints.
 * Ref: kubernetes v1.36 pkg/printers/internalversion/printers.go printEndpointSlice, formatDiscoveryPorts, formatDiscoveryEndpoints.
 */
import {type TableColumn, type TableConvertor, tableAge, tableNameColumns} from '@palisade/apiserver';
import {kubeTypes} from '@palisade/kube-wire';
import {textColumn} from '../doc-column.ts';
import type {EndpointSlice, SlicePort} from './types.ts';

const SHOWN_MAX = 3;

const STRUCT = kubeTypes['io.k8s.api.discovery.v1.EndpointSlice'];

/** The documents of OpenAPI list the values of an enum behind the text. */
const docOf = (field: string): string =>
  STRUCT?.fields.find(({name}) => name === field)?.doc.split('\n\nPossible enum values:')[0] ?? '';

const column = (name: string, field: string): TableColumn => textColumn(name, docOf(field));

const listed = (texts: readonly string[]): string => {
  const list = texts.slice(0, SHOWN_MAX).join(',');
  if (texts.length > SHOWN_MAX) return `${list} + ${texts.length - SHOWN_MAX} more...`;
  return list === '' ? '<unset>' : list;
};

const portText = ({port, name}: SlicePort): string => (port === undefined ? (name ?? '*') : String(port));

export const endpointSliceTable: TableConvertor = {
  columns: tableNameColumns([
    column('AddressType', 'addressType'),
    column('Ports', 'ports'),
    column('Endpoints', 'endpoints'),
  ]),
  cells: (object, nowMs) => {
    const {metadata, addressType = '', endpoints, ports} = object as EndpointSlice;
    return [
      metadata.name ?? '',
      addressType,
      listed((ports ?? []).map(portText)),
      listed((endpoints ?? []).flatMap(({addresses}) => addresses ?? [])),
      tableAge(object, nowMs),
    ];
  },
};
