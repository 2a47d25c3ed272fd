// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 pkg/registry/discovery/endpointslice/strategy.go WarningsOnCreate, warnOnBadIPs. */
import {ipWarnings} from '@palisade/kube-wire';
import {isPlainIpv4} from '../endpoints/plain-ipv4.ts';
import {type EndpointSlice, MANAGED_BY_LABEL, MIRRORING_CONTROLLER, SLICE_CONTROLLER} from './types.ts';

const NONE: readonly string[] = [];

/** Also what concerns only new slices. */
export const createWarnings = (slice: EndpointSlice): readonly string[] =>
  slice.addressType === 'FQDN'
    ? ['spec.addressType: FQDN endpoints are deprecated', ...addressWarnings(slice)]
    : addressWarnings(slice);

/** Odd spellings of IPs. What the controllers write gets no advice: they mend addresses themselves. */
export const addressWarnings = ({metadata, endpoints}: EndpointSlice): readonly string[] => {
  const managedBy = metadata.labels?.[MANAGED_BY_LABEL];
  if (managedBy === MIRRORING_CONTROLLER || managedBy === SLICE_CONTROLLER) return NONE;
  return (endpoints ?? []).flatMap(({addresses}, index) =>
    (addresses ?? []).flatMap((address, at) =>
      isPlainIpv4(address) ? NONE : ipWarnings(`endpoints[${index}].addresses[${at}]`, address),
    ),
  );
};
