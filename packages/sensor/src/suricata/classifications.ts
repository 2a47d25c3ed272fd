// SPDX-License-Identifier: Apache-2.0
/**
 * Classtypes: description and priority as every Suricata rule set expects them, and the `type` word of the threat record
 * (`vulnerability`, `spyware`, `scan`, `flood`, `policy`, `protocol`, as Cloud IDS groups its threats; free text for its readers).
 * Rendered into classification.config, so that severities do not depend on files of the machine.
 */
export type Classtype = {
  readonly name: string;
  readonly description: string;
  readonly priority: number;
  readonly type: string;
};

const row = (name: string, priority: number, type: string, description: string): Classtype => ({
  name,
  description,
  priority,
  type,
});

export const CLASSTYPES: readonly Classtype[] = [
  row('not-suspicious', 3, 'policy', 'Not Suspicious Traffic'),
  row('unknown', 3, 'vulnerability', 'Unknown Traffic'),
  row('bad-unknown', 2, 'vulnerability', 'Potentially Bad Traffic'),
  row('attempted-recon', 2, 'scan', 'Attempted Information Leak'),
  row('successful-recon-limited', 2, 'scan', 'Information Leak'),
  row('successful-recon-largescale', 2, 'scan', 'Large Scale Information Leak'),
  row('attempted-dos', 2, 'flood', 'Attempted Denial of Service'),
  row('successful-dos', 2, 'flood', 'Denial of Service'),
  row('attempted-user', 1, 'vulnerability', 'Attempted User Privilege Gain'),
  row('unsuccessful-user', 1, 'vulnerability', 'Unsuccessful User Privilege Gain'),
  row('successful-user', 1, 'vulnerability', 'Successful User Privilege Gain'),
  row('attempted-admin', 1, 'vulnerability', 'Attempted Administrator Privilege Gain'),
  row('successful-admin', 1, 'vulnerability', 'Successful Administrator Privilege Gain'),
  row('rpc-portmap-decode', 2, 'scan', 'Decode of an RPC Query'),
  row('shellcode-detect', 1, 'vulnerability', 'Executable code was detected'),
  row('string-detect', 3, 'vulnerability', 'A suspicious string was detected'),
  row('suspicious-filename-detect', 2, 'vulnerability', 'A suspicious filename was detected'),
  row('suspicious-login', 2, 'vulnerability', 'An attempted login using a suspicious username was detected'),
  row('system-call-detect', 2, 'vulnerability', 'A system call was detected'),
  row('tcp-connection', 4, 'policy', 'A TCP connection was detected'),
  row('trojan-activity', 1, 'spyware', 'A Network Trojan was detected'),
  row('unusual-client-port-connection', 2, 'policy', 'A client was using an unusual port'),
  row('network-scan', 3, 'scan', 'Detection of a Network Scan'),
  row('denial-of-service', 2, 'flood', 'Detection of a Denial of Service Attack'),
  row('non-standard-protocol', 2, 'protocol', 'Detection of a non-standard protocol or event'),
  row('protocol-command-decode', 3, 'protocol', 'Generic Protocol Command Decode'),
  row('web-application-activity', 2, 'vulnerability', 'access to a potentially vulnerable web application'),
  row('web-application-attack', 1, 'vulnerability', 'Web Application Attack'),
  row('misc-activity', 3, 'policy', 'Misc activity'),
  row('misc-attack', 2, 'vulnerability', 'Misc Attack'),
  row('icmp-event', 3, 'scan', 'Generic ICMP event'),
  row('inappropriate-content', 1, 'policy', 'Inappropriate Content was Detected'),
  row('policy-violation', 1, 'policy', 'Potential Corporate Privacy Violation'),
  row('default-login-attempt', 2, 'vulnerability', 'Attempt to login by a default username and password'),
  row('targeted-activity', 1, 'spyware', 'Targeted Malicious Activity was Detected'),
  row('exploit-kit', 1, 'spyware', 'Exploit Kit Activity Detected'),
  row('external-ip-check', 2, 'policy', 'Device Retrieving External IP Address Detected'),
  row('domain-c2', 1, 'spyware', 'Domain Observed Used for C2 Detected'),
  row('pup-activity', 2, 'spyware', 'Possibly Unwanted Program Detected'),
  row('credential-theft', 1, 'spyware', 'Successful Credential Theft Detected'),
  row('social-engineering', 2, 'spyware', 'Possible Social Engineering Attempted'),
  row('coin-mining', 2, 'spyware', 'Crypto Currency Mining Activity Detected'),
  row('command-and-control', 1, 'spyware', 'Malware Command and Control Activity Detected'),
];

/** `type` of a threat whose classtype is missing or not in the table. */
export const DEFAULT_TYPE = 'vulnerability';
export const DEFAULT_CATEGORY = 'unknown';

const BY_NAME = new Map(CLASSTYPES.map(classtype => [classtype.name, classtype]));
const BY_DESCRIPTION = new Map(CLASSTYPES.map(classtype => [classtype.description, classtype]));
export const classtypeNamed = (name: string): Classtype | undefined => BY_NAME.get(name);
/** EVE gives only the description. */
export const classtypeDescribed = (description: string): Classtype | undefined => BY_DESCRIPTION.get(description);

const LINE = /^\s*config\s+classification:\s*([A-Za-z0-9][A-Za-z0-9_-]*)\s*,\s*([^,\n]+?)\s*,\s*([1-9]\d{0,2})\s*$/;
const PRIORITY_MAX = 255;

/** Classtypes of other classification.config files that the table has not; ours stay as they are, since severities come from them. */
export const parseClassifications = (texts: readonly string[]): Classtype[] => {
  const found = new Map<string, Classtype>();
  for (const line of texts.flatMap(text => text.split('\n'))) {
    const [, name = '', description = '', priority = ''] = LINE.exec(line) ?? [];
    if (name === '' || BY_NAME.has(name) || found.has(name) || Number(priority) > PRIORITY_MAX) continue;
    found.set(name, {name, description, priority: Number(priority), type: DEFAULT_TYPE});
  }
  return [...found.values()];
};

/** classification.config as Suricata reads it. `more`: besides ours. */
export const renderClassifications = (more: readonly Classtype[] = []): string =>
  [...CLASSTYPES, ...more].map(c => `config classification: ${c.name},${c.description},${c.priority}\n`).join('');

/** Systems of the `reference` keyword. Suricata accepts others with a warning; the address prefix is used in `details`. */
export const REFERENCE_SYSTEMS: Readonly<Record<string, string>> = {
  url: 'https://',
  cve: 'https://www.cve.org/CVERecord?id=CVE-',
  bugtraq: '',
  bid: '',
  nessus: '',
  mcafee: '',
  et: '',
  etpro: '',
  md5: '',
  sha1: '',
  exploitdb: 'https://www.exploit-db.com/exploits/',
  osvdb: '',
  secunia: '',
  arachnids: '',
  xforce: '',
  msft: '',
  securitytracker: '',
  threatexpert: '',
  telus: '',
  openpacket: '',
};

export const renderReferences = (): string =>
  Object.entries(REFERENCE_SYSTEMS)
    .map(([name, prefix]) => `config reference: ${name} ${prefix === '' ? `${name}:` : prefix}\n`)
    .join('');
