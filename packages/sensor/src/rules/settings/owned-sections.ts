// SPDX-License-Identifier: Apache-2.0
/** Which sections of suricata.yaml a user may add, and why not the others: what palisade sets itself, and what would leave the sensor's folder. */

/** Sections of --suricata-include. */
export const OPEN_SECTIONS: readonly string[] = [
  'app-layer',
  'asn1-max-frames',
  'decoder',
  'default-packet-size',
  'default-reputation-path',
  'defrag',
  'detect',
  'exception-policy',
  'flow',
  'flow-timeouts',
  'host',
  'host-os-policy',
  'ippair',
  'legacy',
  'max-pending-packets',
  'pcre',
  'prefilter',
  'reputation-categories-file',
  'reputation-files',
  'spm-algo',
  'stream',
  'threading',
  'vlan',
];

const OUTPUT = 'palisade reads alerts and counters from its own outputs; records are read with its API';
const CAPTURE = 'palisade sets how packets are captured; use --driver and --capture-interface';
const RULES = 'palisade places rules and their files; use --rules';
const PROCESS = 'palisade starts and guards the process; use --sensor-user, --sensor-memory-max and --sensor-cpu-max';

/** By path, with dots: why a section cannot be included, and the way out. */
export const OWNED_SECTIONS: Readonly<Record<string, string>> = {
  outputs: OUTPUT,
  stats: OUTPUT,
  logging: OUTPUT,
  'default-log-dir': OUTPUT,
  profiling: 'it writes files on the host; profile rules with your own Suricata',
  'detect.profiling': 'it writes files on the host; profile rules with your own Suricata',
  plugins: 'plugins run code on the host',
  'unix-command': 'palisade controls Suricata through its command socket',
  'pid-file': PROCESS,
  'run-as': PROCESS,
  daemon: PROCESS,
  coredump: PROCESS,
  security: PROCESS,
  runmode: CAPTURE,
  'af-packet': CAPTURE,
  'af-xdp': CAPTURE,
  dpdk: CAPTURE,
  netmap: CAPTURE,
  pcap: CAPTURE,
  'pcap-file': CAPTURE,
  pfring: CAPTURE,
  nfq: CAPTURE,
  ipfw: CAPTURE,
  livedev: CAPTURE,
  'host-mode': CAPTURE,
  'decoder.vxlan': CAPTURE,
  'decoder.geneve': CAPTURE,
  vars: 'set variables with --var NAME=VALUE, and your networks with --home-net',
  'rule-files': RULES,
  'default-rule-path': RULES,
  'classification-file': 'put classification.config into the folder or the archive of the rules',
  'reference-config-file': RULES,
  'threshold-file': 'use --threshold-file',
  datasets: 'name the file in the rule (dataset:isset,NAME,type TYPE,load FILE) and put it next to the rule file',
  'multi-detect': 'palisade runs one Suricata for each endpoint',
  'packet-alert-max': 'palisade compares the alerts of Suricata with its records by it',
  'mpm-algo': 'palisade chooses it by the number of rules',
};
