// SPDX-License-Identifier: Apache-2.0
import type {OptionTable} from '../command-line/options.ts';

/** Flags of `palisade serve` that the sensors act on. */
export const sensorOptions = {
  driver: {
    type: 'string',
    value: 'NAME',
    oneOf: ['auto', 'afpacket', 'afpacket-bpf', 'relay'],
    default: 'auto',
    doc: 'capture packets with this driver',
  },
  'capture-interface': {
    type: 'list',
    value: 'IFACE',
    doc: 'interfaces that mirrored packets arrive on, for --driver afpacket-bpf',
  },
  rules: {
    type: 'list',
    value: 'FILE',
    completes: 'file',
    doc: 'use these rule files, folders, archives or URLs, not the bundled ones',
  },
  'enable-sid': {
    type: 'list',
    value: 'MATCH',
    inFile: 'words-or-numbers',
    doc: 'enable rules by SID, GID:SID, group:FILE or re:EXPRESSION',
  },
  'disable-sid': {
    type: 'list',
    value: 'MATCH',
    inFile: 'words-or-numbers',
    doc: 'disable rules by SID, GID:SID, group:FILE or re:EXPRESSION',
  },
  'threshold-file': {
    type: 'list',
    value: 'FILE',
    completes: 'file',
    doc: 'apply threshold and suppress lines of this threshold.config',
  },
  var: {
    type: 'list',
    value: 'NAME=VALUE',
    inFile: 'map',
    doc: 'set a variable that rules use, such as DNS_SERVERS=10.0.0.53',
  },
  'suricata-include': {
    type: 'list',
    value: 'FILE',
    completes: 'file',
    doc: 'add sections of suricata.yaml that palisade does not set itself',
  },
  'rules-min-loaded': {
    type: 'string',
    value: 'PERCENT',
    inFile: 'number',
    doc: 'refuse a rule set if less than PERCENT of its rules load (default 90)',
  },
  'rules-strict': {type: 'boolean', doc: 'refuse a rule set that contains an invalid rule'},
  'home-net': {
    type: 'list',
    value: 'CIDR',
    doc: 'treat these as your networks: CIDR, !CIDR, any (default: private ranges)',
  },
  'accept-any-vni': {
    type: 'boolean',
    doc: 'inspect mirrored packets of any VNI (default: only that of the endpoint)',
  },
  'mirror-from': {
    type: 'list',
    value: 'CIDR',
    doc: 'accept mirrored packets of these senders only (default: any sender)',
  },
  'sensor-user': {
    type: 'string',
    value: 'USER',
    doc: 'run Suricata as this user if the server runs as root (default nobody)',
  },
  'sensor-memory-max': {
    type: 'string',
    value: 'SIZE',
    inFile: 'size',
    doc: 'limit the memory of each Suricata by cgroup, such as 2GiB',
  },
  'sensor-cpu-max': {
    type: 'string',
    value: 'CORES',
    inFile: 'number',
    doc: 'limit the processor time of each Suricata by cgroup, such as 1.5',
  },
} as const satisfies OptionTable;
