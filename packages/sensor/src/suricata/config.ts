// SPDX-License-Identifier: Apache-2.0
/**
 * Renders suricata.yaml. One template for verification and for every endpoint, so that what was verified is what runs.
 *
 * All paths are below the process's working folder and written as `/proc/self/cwd/…`: Suricata then needs no right on the folders above
 * (it runs as another user), and the 107 bytes of a socket path are enough wherever the data folder lies.
 */
import type {EvidenceKind} from '@palisade/ids-wire';
import {FLOW_FILE_BYTES, FLOW_FILES_MAX, PACKET_ALERTS_MAX, PAYLOAD_BYTES_MAX} from '../limits.ts';
import {LANDLOCK_READS} from './landlock.ts';
import {type Sections, withSections} from './settings/sections.ts';
import {addressGroupsOf, NO_VARIABLES, portGroupsOf, type VariableGroups} from './settings/variable-groups.ts';

export const CONFIG_FILE = 'suricata.yaml';
export const EVE_FILE = 'eve.json';
export const COMMAND_SOCKET = 'command.socket';
export const CLASSIFICATION_FILE = 'classification.config';
export const REFERENCE_FILE = 'reference.config';
export const THRESHOLD_FILE = 'threshold.config';
/** Capture files of flows with alerts: this and `.SECONDS.MICROSECONDS` of their first packet. */
export const FLOW_FILE = 'flow.pcap';
const HERE = '/proc/self/cwd';

/** `hs`: Hyperscan, fastest inspection, half the memory; `ac-ks`: loads 4 to 6 times faster. */
export type PatternMatcher = 'hs' | 'ac-ks';

export type ConfigInput = {
  /** File names in the working folder, in load order. */
  readonly ruleFiles: readonly string[];
  readonly patternMatcher: PatternMatcher;
  /** Words of `parseHomeNet`, with commas. */
  readonly homeNet: string;
  /** Of the user; default: ours alone. */
  readonly variables?: VariableGroups | undefined;
  /** Of the user, over ours; none that we own. */
  readonly sections?: Sections | undefined;
  /** Suricata decodes VXLAN in the frames that it gets. */
  readonly decodeVxlan: boolean;
  /** Default: none. */
  readonly evidence?: EvidenceKind | undefined;
  /** A log of what Suricata says while it loads the rules. */
  readonly rulesLog?: {readonly file: string; readonly format: string} | undefined;
};

const logFile = (log: ConfigInput['rulesLog']): string =>
  log === undefined
    ? '{enabled: no}'
    : `{enabled: yes, level: config, filename: ${HERE}/${log.file}, format: ${JSON.stringify(log.format)}}`;

const addressGroups = ({homeNet, variables}: ConfigInput): string =>
  Object.entries(addressGroupsOf(homeNet.split(','), variables ?? NO_VARIABLES))
    .map(([name, value]) => `    ${name}: ${JSON.stringify(value)}`)
    .join('\n');

const portGroups = ({variables}: ConfigInput): string =>
  Object.entries(portGroupsOf(variables ?? NO_VARIABLES))
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(', ');

/** Off in packaged configurations or kept on here whatever they say. */
const PROTOCOLS = [
  'bittorrent-dht',
  'dcerpc',
  'dhcp',
  'ftp',
  'http2',
  'ike',
  'krb5',
  'mqtt',
  'nfs',
  'ntp',
  'pgsql',
  'quic',
  'rdp',
  'rfb',
  'sip',
  'snmp',
  'ssh',
  'telnet',
  'tftp',
  'websocket',
];

const appLayer = (): string => `
app-layer:
  protocols:
${PROTOCOLS.map(name => `    ${name}: {enabled: yes}`).join('\n')}
    tls: {enabled: yes, ja3-fingerprints: yes, ja4-fingerprints: yes, detection-ports: {dp: 443}}
    smb: {enabled: yes, detection-ports: {dp: "139, 445"}}
    imap: {enabled: detection-only}
    modbus: {enabled: yes, detection-ports: {dp: 502}, stream-depth: 0}
    dnp3: {enabled: yes, detection-ports: {dp: 20000}}
    enip: {enabled: yes, detection-ports: {dp: 44818, sp: 44818}}
    dns:
      tcp: {enabled: yes, detection-ports: {dp: 53}}
      udp: {enabled: yes, detection-ports: {dp: 53}}
    smtp:
      enabled: yes
      raw-extraction: no
      mime: {decode-mime: yes, decode-base64: yes, decode-quoted-printable: yes, header-value-depth: 2000, extract-urls: yes, body-md5: no}
      inspected-tracker: {content-limit: 100000, content-inspect-min-size: 32768, content-inspect-window: 4096}
    http:
      enabled: yes
      libhtp:
        default-config:
          personality: IDS
          request-body-limit: 100kb
          response-body-limit: 100kb
          request-body-minimal-inspect-size: 32kb
          request-body-inspect-window: 4kb
          response-body-minimal-inspect-size: 40kb
          response-body-inspect-window: 16kb
          response-body-decompress-layer-limit: 2
          http-body-inline: auto
          swf-decompression: {enabled: no, type: both, compress-depth: 100kb, decompress-depth: 100kb}
          double-decode-path: no
          double-decode-query: no
asn1-max-frames: 256`;

/** Flow records come when a flow times out, so traffic logs are as late as these say; the packaged values keep dead flows for minutes. */
const flows = (): string => `
flow: {memcap: 128mb, hash-size: 65536, prealloc: 1000, emergency-recovery: 30}
flow-timeouts:
  default: {new: 30, established: 300, closed: 0, bypassed: 100, emergency-new: 10, emergency-established: 100, emergency-closed: 0, emergency-bypassed: 50}
  tcp: {new: 30, established: 600, closed: 3, bypassed: 100, emergency-new: 5, emergency-established: 100, emergency-closed: 3, emergency-bypassed: 50}
  udp: {new: 15, established: 60, bypassed: 60, emergency-new: 10, emergency-established: 30, emergency-bypassed: 50}
  icmp: {new: 15, established: 60, bypassed: 60, emergency-new: 10, emergency-established: 30, emergency-bypassed: 50}
defrag: {memcap: 32mb, hash-size: 65536, trackers: 65535, max-frags: 65535, prealloc: yes, timeout: 60}
host: {hash-size: 4096, prealloc: 1000, memcap: 32mb}
stream:
  memcap: 64mb
  checksum-validation: no
  midstream: no
  inline: auto
  reassembly: {memcap: 256mb, depth: 1mb, toserver-chunk-size: 2560, toclient-chunk-size: 2560, randomize-chunk-size: no}
vlan: {use-for-tracking: true}
livedev: {use-for-tracking: true}`;

const alertOutput = (evidence: EvidenceKind): string =>
  evidence === 'none'
    ? 'payload: no, packet: no'
    : `payload: yes, payload-buffer-size: ${PAYLOAD_BYTES_MAX}, payload-printable: no, packet: yes`;

/** Only flows with alerts. A ring of files that a restart continues. Ref: Suricata 7 log-pcap.c. */
const flowOutput = (evidence: EvidenceKind): string =>
  evidence === 'pcap'
    ? `
  - pcap-log:
      enabled: yes
      filename: ${FLOW_FILE}
      mode: normal
      conditional: alerts
      limit: ${FLOW_FILE_BYTES}
      max-files: ${FLOW_FILES_MAX}
      ts-format: usec
      use-stream-depth: no
      honor-pass-rules: no`
    : '';

const renderOwn = (input: ConfigInput, evidence = input.evidence ?? 'none'): string => `%YAML 1.1
---
# Made by palisade; changes are overwritten.
vars:
  address-groups:
${addressGroups(input)}
  port-groups: {${portGroups(input)}}
default-log-dir: ${HERE}
default-rule-path: ${HERE}
rule-files: [${input.ruleFiles.map(name => JSON.stringify(name)).join(', ')}]
classification-file: ${HERE}/${CLASSIFICATION_FILE}
reference-config-file: ${HERE}/${REFERENCE_FILE}
threshold-file: ${HERE}/${THRESHOLD_FILE}
unix-command: {enabled: yes, filename: ${HERE}/${COMMAND_SOCKET}}
stats: {enabled: yes, interval: 3}
logging:
  default-log-level: notice
  outputs:
    - console: {enabled: yes, type: json}
    - file: ${logFile(input.rulesLog)}
    - syslog: {enabled: no}
outputs:
  - eve-log:
      enabled: yes
      filetype: regular
      filename: ${EVE_FILE}
      pcap-file: false
      community-id: true
      types:
        - alert: {tagged-packets: no, ${alertOutput(evidence)}, http-body: no, metadata: {app-layer: yes, flow: yes, rule: {metadata: yes, raw: no}}}
        - flow
        - stats: {totals: yes, threads: no, deltas: no}${flowOutput(evidence)}
pcap-file: {checksum-checks: no}
packet-alert-max: ${PACKET_ALERTS_MAX}
default-data-dir: ${HERE}
security:
  limit-noproc: true
  landlock: {enabled: yes, directories: {read: [${[HERE, ...LANDLOCK_READS].join(', ')}], write: [${HERE}]}}
  lua: {allow-rules: false}
datasets:
  rules: {allow-write: false, allow-absolute-filenames: false}
host-mode: sniffer-only
exception-policy: ignore
mpm-algo: ${input.patternMatcher}
spm-algo: ${input.patternMatcher === 'hs' ? 'hs' : 'bm'}
detect:
  profile: medium
  custom-values: {toclient-groups: 3, toserver-groups: 25}
  sgh-mpm-context: auto
  prefilter: {default: mpm}
pcre: {match-limit: 3500, match-limit-recursion: 1500}
host-os-policy: {windows: [0.0.0.0/0]}
legacy: {uricontent: enabled}
decoder:
  teredo: {enabled: true, ports: $TEREDO_PORTS}
  geneve: {enabled: true, ports: $GENEVE_PORTS}
  vxlan: {enabled: ${input.decodeVxlan}, ports: $VXLAN_PORTS}
${flows()}
${appLayer()}
`;

/** Text of suricata.yaml. Same input, same text: it is part of the rule set's version. */
export const renderConfig = (input: ConfigInput): string => withSections(renderOwn(input), input.sections ?? {});
