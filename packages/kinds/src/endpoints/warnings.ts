// SPDX-License-Identifier: Apache-2.0
/** Advice about what is stored as written: names outside the registries (E-095, E-101), odd spellings of IPs (E-066). */
import type {Compat} from '@palisade/apiserver';
import {ipWarnings} from '@palisade/kube-wire';
import {isIanaServiceName} from './iana-service-names.ts';
import {isPlainIpv4} from './plain-ipv4.ts';
import type {EndpointSubset, Endpoints} from './types.ts';

const OWNERSHIP_ANNOTATION = 'platform.io/address-ownership';

const RESERVED_PREFIX = 'platform.io/';
const RESERVED_NAMES: readonly string[] = ['platform.io/h2c', 'platform.io/ws', 'platform.io/wss'];

/** What upstream's controller wrote gets no advice about addresses: it mends them itself. */
const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const CONTROLLER = 'endpoint-controller';

export const endpointsWarnings = ({metadata, subsets = []}: Endpoints, compat: Compat): string[] => {
  const warnings: string[] = [];
  if (compat.warnNaming) warnings.push(...ownershipWarnings(metadata.annotations));
  const isManaged = metadata.labels?.[MANAGED_BY] === CONTROLLER;
  for (const [index, subset] of subsets.entries()) {
    if (!isManaged) warnings.push(...addressWarnings(subset, index));
    if (compat.warnNaming) warnings.push(...appProtocolWarnings(subset, index));
  }
  return warnings;
};

/** A client that still writes it learns that an apply replaces the addresses of other writers. Ref: ADR 0016. */
const ownershipWarnings = (annotations: Readonly<Record<string, string>> = {}): string[] =>
  annotations[OWNERSHIP_ANNOTATION] === undefined
    ? []
    : [
        `metadata.annotations[${OWNERSHIP_ANNOTATION}]: has no effect any more, an apply owns subsets as a whole; create an EndpointRegistration for each machine instead`,
      ];

const addressWarnings = ({addresses = [], notReadyAddresses = []}: EndpointSubset, subset: number): string[] => [
  ...addresses.flatMap(({ip = ''}, i) =>
    isPlainIpv4(ip) ? [] : ipWarnings(`subsets[${subset}].addresses[${i}].ip`, ip),
  ),
  ...notReadyAddresses.flatMap(({ip = ''}, i) =>
    isPlainIpv4(ip) ? [] : ipWarnings(`subsets[${subset}].notReadyAddresses[${i}].ip`, ip),
  ),
];

const appProtocolWarnings = ({ports = []}: EndpointSubset, subset: number): string[] =>
  ports.flatMap(({appProtocol = ''}, i) => {
    const at = `subsets[${subset}].ports[${i}].appProtocol`;
    if (appProtocol.startsWith(RESERVED_PREFIX)) {
      if (RESERVED_NAMES.includes(appProtocol)) return [];
      return [`${at}: ${JSON.stringify(appProtocol)} uses the reserved prefix platform.io/ (known: h2c, ws, wss)`];
    }
    if (appProtocol === '' || appProtocol.includes('/') || isIanaServiceName(appProtocol)) return [];
    return [
      `${at}: ${JSON.stringify(appProtocol)} is not an IANA service name; names without a prefix are reserved for these (RFC 6335)`,
    ];
  });
