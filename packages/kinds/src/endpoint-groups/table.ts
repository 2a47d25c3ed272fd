// SPDX-License-Identifier: Apache-2.0
/** What `kubectl get endpointgroups` prints; two of the columns only with `-o wide`. */
import {type TableConvertor, tableAge, tableNameColumns} from '@palisade/apiserver';
import {textColumn} from '../doc-column.ts';
import {composedReason, isPanicking} from './status.ts';
import type {EndpointGroup} from './types.ts';

const portsText = ({spec: {ports = []} = {}}: EndpointGroup): string =>
  ports
    .map(({name, port = 0, protocol = 'TCP'}) => `${name === undefined ? '' : `${name}:`}${port}/${protocol}`)
    .join();

export const endpointGroupTable: TableConvertor = {
  columns: tableNameColumns([
    textColumn('Ready', 'Members that are ready at each of their ports, of all.'),
    textColumn('Composed', 'Whether the Endpoints are up to date, or why not.', 1),
    textColumn('Ports', 'Ports that members offer.', 1),
  ]),
  cells: (object, nowMs) => {
    const group = object as EndpointGroup;
    const {status = {}} = group;
    const {ready = 0, total = 0} = status;
    const composed = composedReason(status);
    return [
      object.metadata.name ?? '',
      `${ready}/${total}`,
      isPanicking(status) ? `${composed},Panic` : composed,
      portsText(group),
      tableAge(object, nowMs),
    ];
  },
};
