// SPDX-License-Identifier: Apache-2.0
/** What `kubectl get endpointregistrations` prints. */
import {humanDuration, type TableConvertor, tableAge, tableNameColumns} from '@palisade/apiserver';
import {textColumn} from '../doc-column.ts';
import {type EndpointRegistration, TTL_SECONDS_DEFAULT} from './types.ts';

export const registrationTable: TableConvertor = {
  columns: [
    ...tableNameColumns([
      textColumn('Group', 'Group that it is for.'),
      textColumn('Addresses', 'IP addresses of the machine.'),
      textColumn('State', 'Live or Expired, and whether it drains.'),
    ]),
    textColumn('User', 'User who created it.', 1),
    textColumn('TTL', 'Without a renewal for so long, it expires.', 1),
  ],
  cells: (object, nowMs) => {
    const {spec = {}, status = {}} = object as EndpointRegistration;
    return [
      object.metadata.name ?? '',
      spec.group ?? '',
      (spec.addresses ?? []).join(','),
      `${status.state ?? 'Live'}${spec.draining === true ? ',Draining' : ''}`,
      tableAge(object, nowMs),
      spec.user ?? '',
      humanDuration((spec.ttlSeconds ?? TTL_SECONDS_DEFAULT) * 1_000),
    ];
  },
};
