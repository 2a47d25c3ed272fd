// SPDX-License-Identifier: Apache-2.0
/** The kinds that are compared: a new one is a file here and a line. */
import type {Subject} from '../steps.ts';
import {configMaps} from './config-maps.ts';
import {endpointSlices} from './endpoint-slices.ts';
import {endpoints} from './endpoints.ts';
import {coreEvents, eventsOfBoth, groupedEvents} from './events.ts';
import {leases} from './leases.ts';
import {nodes} from './nodes.ts';
import {secrets} from './secrets.ts';
import {serviceAccounts} from './service-accounts.ts';
import {services, servicesWithStatus} from './services.ts';
import {servicesWithAddresses} from './services-with-addresses.ts';

export const SUBJECTS: readonly Subject[] = [
  configMaps,
  endpointSlices,
  endpoints,
  leases,
  nodes,
  secrets,
  serviceAccounts,
  servicesWithAddresses,
  services,
  servicesWithStatus,
  coreEvents,
  groupedEvents,
  eventsOfBoth,
];
