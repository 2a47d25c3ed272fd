// SPDX-License-Identifier: Apache-2.0
/** Texts of Warning headers. Ref: kubernetes v1.36 pkg/api/service/warnings.go, pkg/registry/core/service/strategy.go. */
import {cidrWarnings, indexPath, ipWarnings} from '@palisade/kube-wire';
import {CLUSTER_IP, EXTERNAL_NAME, NO_IP, type Service} from './types.ts';

const HINTS = 'service.kubernetes.io/topology-aware-hints';
const MODE = 'service.kubernetes.io/topology-mode';

export const serviceWarnings = ({metadata: {annotations = {}}, spec}: Service): string[] => {
  const {clusterIP = '', clusterIPs = [], externalIPs = [], loadBalancerIP = ''} = spec;
  const isHeadless = spec.type === CLUSTER_IP && clusterIP === NO_IP;
  const isName = spec.type === EXTERNAL_NAME;
  const warnings: string[] = [];
  const warnIf = (holds: boolean, text: string): void => {
    if (holds) warnings.push(text);
  };
  warnIf(annotations[HINTS] !== undefined, `annotation ${HINTS} is deprecated, please use ${MODE} instead`);
  if (clusterIP !== '' && clusterIP !== NO_IP) warnings.push(...eachIp('spec.clusterIPs', clusterIPs));
  if (isHeadless) {
    warnIf(loadBalancerIP !== '', 'spec.loadBalancerIP is ignored for headless services');
    warnIf(externalIPs.length > 0, 'spec.externalIPs is ignored for headless services');
    warnIf(spec.sessionAffinity !== 'None', 'spec.SessionAffinity is ignored for headless services');
  }
  warnings.push(...eachIp('spec.externalIPs', externalIPs));
  const usesIps = externalIPs.length > 0 && !isHeadless && !isName;
  warnIf(usesIps, 'spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  if (loadBalancerIP !== '') warnings.push(...ipWarnings('spec.loadBalancerIP', loadBalancerIP));
  for (const [index, range] of (spec.loadBalancerSourceRanges ?? []).entries())
    warnings.push(...cidrWarnings(indexPath('spec.loadBalancerSourceRanges', index), range));
  warnIf(isName && externalIPs.length > 0, 'spec.externalIPs is ignored when spec.type is "ExternalName"');
  const {externalName = '', trafficDistribution} = spec;
  warnIf(!isName && externalName !== '', 'spec.externalName is ignored when spec.type is not "ExternalName"');
  const close = 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"';
  warnIf(trafficDistribution === 'PreferClose', close);
  return warnings;
};

const eachIp = (path: string, ips: readonly string[]): string[] =>
  ips.flatMap((ip, index) => ipWarnings(indexPath(path, index), ip));

export const serviceStatusWarnings = ({status}: Service): string[] =>
  (status.loadBalancer.ingress ?? []).flatMap(({ip = ''}, index) =>
    ip === '' ? [] : ipWarnings(indexPath('status.loadBalancer.ingress', index), ip),
  );
