// SPDX-License-Identifier: Apache-2.0
/** The compute ForwardingRule that stands for an endpoint's way in. Names are of the form that Cloud IDS gives them. */
import {createHash} from 'node:crypto';
import {formatTimestamp, parseIdsEndpointName, regionOf} from '@palisade/ids-wire';
import type {EndpointRecord} from '../model/endpoint-record.ts';
import type {CaptureDriver} from '../sensor-host.ts';
import type {Random} from '../system.ts';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const SUFFIX_LENGTH = 16;
const ID_PART_LENGTH = 6;

/** `{letter}{16 hex}-tp`, always the same for one project. */
export const tenantOf = (project: string): string => {
  const hash = createHash('sha256').update(project).digest('hex');
  const letter = ALPHABET[Number.parseInt(hash.slice(16, 18), 16) % 26];
  return `${letter}${hash.slice(0, 16)}-tp`;
};

/** `projects/{tenant}/regions/{region}/forwardingRules/ids-fr-{id}-{random}` of a new endpoint. */
export const newRulePath = (endpoint: string, random: Random): string => {
  const {project = '', location = '', endpointId = ''} = parseIdsEndpointName(endpoint) ?? {};
  const suffix = Array.from(random.bytes(SUFFIX_LENGTH), byte => ALPHABET[byte % ALPHABET.length]).join('');
  const rule = `ids-fr-${endpointId.slice(0, ID_PART_LENGTH)}-${suffix}`;
  return `projects/${tenantOf(project)}/regions/${regionOf(location)}/forwardingRules/${rule}`;
};

/** A 63-bit number that stays the same for one rule. */
const numericId = (text: string): string => {
  const hash = createHash('sha256').update(text).digest();
  return (hash.readBigUInt64BE(0) >> 1n).toString();
};

type Encapsulation = {readonly label: string; readonly words: string; readonly port: number};
const VXLAN: Encapsulation = {label: 'vxlan', words: 'VXLAN (RFC 7348) to UDP 4789', port: 4789};
const GENEVE: Encapsulation = {label: 'geneve', words: 'GENEVE (RFC 8926) to UDP 6081', port: 6081};

/** What each driver takes. A kernel device of `afpacket` is one for VXLAN. */
const ENCAPSULATIONS: Readonly<Record<CaptureDriver, readonly Encapsulation[]>> = {
  afpacket: [VXLAN],
  'afpacket-bpf': [VXLAN, GENEVE],
  relay: [VXLAN, GENEVE],
};

/** compute#forwardingRule; `labels` say how to send: the VNI, the capture driver and the encapsulations that it takes. */
export const toForwardingRule = (
  record: EndpointRecord,
  at: {readonly ruleBase: string; readonly driver: CaptureDriver},
): object | undefined => {
  const {allocation} = record;
  if (allocation === undefined) return undefined;
  const encapsulations = ENCAPSULATIONS[at.driver];
  const [, tenant = '', , region = '', , name = ''] = allocation.rule.split('/');
  return {
    kind: 'compute#forwardingRule',
    id: numericId(allocation.rule),
    creationTimestamp: formatTimestamp(record.createTimeMs),
    name,
    description: `Packet mirroring collector of ${record.name}: ${encapsulations.map(({words}) => words).join(', or ')}`,
    region: `${at.ruleBase}projects/${tenant}/regions/${region}`,
    IPAddress: allocation.ip,
    IPProtocol: 'UDP',
    ports: encapsulations.map(({port}) => String(port)),
    loadBalancingScheme: 'INTERNAL',
    isMirroringCollector: true,
    network: record.spec.network,
    labels: {
      vni: String(allocation.vni),
      driver: at.driver,
      encapsulations: encapsulations.map(({label}) => label).join('-'),
      endpoint: parseIdsEndpointName(record.name)?.endpointId ?? '',
    },
    selfLink: `${at.ruleBase}${allocation.rule}`,
  };
};
