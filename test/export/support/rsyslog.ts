// SPDX-License-Identifier: Apache-2.0
/** rsyslog as a process of its own, on loopback and in a folder of its own: no service, nothing of /etc. */
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {end, freePort, start, until} from '../../../bench/processes.ts';

const PROGRAM = '/usr/sbin/rsyslogd';
const MODULES = ['/usr/lib/x86_64-linux-gnu/rsyslog', '/usr/lib/aarch64-linux-gnu/rsyslog', '/usr/lib/rsyslog'];

const hasModule = (name: string): boolean => MODULES.some(folder => existsSync(join(folder, `${name}.so`)));
const missing = (packages: string): string => ` (skipped: no ${packages}; apt-get install ${packages})`;
export const whyNoRsyslog = existsSync(PROGRAM) ? '' : missing('rsyslog');
export const whyNoDriver = (driver: 'gtls' | 'ossl'): string =>
  whyNoRsyslog === '' && hasModule(`lmnsd_${driver}`)
    ? ''
    : missing(`rsyslog ${driver === 'gtls' ? 'rsyslog-gnutls' : 'rsyslog-openssl'}`);

export type RsyslogInput = {
  readonly transport: 'udp' | 'tcp' | 'tls';
  /** Of TLS. */
  readonly driver?: 'gtls' | 'ossl';
  /** PEM. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
};

/** As rsyslog parsed it. */
export type SyslogMessage = {
  readonly pri: string;
  readonly timereported: string;
  readonly hostname: string;
  readonly 'app-name': string;
  readonly procid: string;
  readonly msgid: string;
  readonly 'structured-data': string;
  readonly msg: string;
};

export type Rsyslog = AsyncDisposable & {
  readonly port: number;
  readonly messages: () => readonly SyslogMessage[];
  /** Resolves when it has written what it had. */
  readonly stop: () => Promise<void>;
};

const inputOf = (dir: string, input: RsyslogInput, port: number): string => {
  if (input.transport === 'udp')
    return `module(load="imudp")\ninput(type="imudp" address="127.0.0.1" port="${port}" rcvbufSize="8m")`;
  if (input.transport === 'tcp') return `module(load="imtcp")\ninput(type="imtcp" address="127.0.0.1" port="${port}")`;
  const file = (name: string, text = ''): string => {
    writeFileSync(join(dir, name), text, {mode: 0o600});
    return join(dir, name);
  };
  return `global(
  defaultNetstreamDriverCAFile="${file('ca.pem', input.ca)}"
  defaultNetstreamDriverCertFile="${file('cert.pem', input.cert)}"
  defaultNetstreamDriverKeyFile="${file('key.pem', input.key)}"
)
module(load="imtcp" streamDriver.name="${input.driver}" streamDriver.mode="1" streamDriver.authMode="anon")
input(type="imtcp" address="127.0.0.1" port="${port}")`;
};

const configurationOf = (dir: string, input: RsyslogInput, port: number): string => `
global(workDirectory="${dir}" maxMessageSize="64k" net.enableDNS="off" parser.escapeControlCharactersOnReceive="on")
${inputOf(dir, input, port)}
template(name="parsed" type="string" string="%jsonmesg%\\n")
action(type="omfile" file="${join(dir, 'messages.json')}" template="parsed")
`;

/** As the kernel writes them: TCP that listens, UDP. An old connection of the port is neither. */
const BOUND = {tcp: '0A', udp: '07'} as const;

/** Whether a process has a socket on the port; UDP has no connection to try. */
const isBound = (transport: 'udp' | 'tcp', port: number): boolean => {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return new RegExp(`^ *\\d+: ${local} \\S+ ${BOUND[transport]} `, 'm').test(
    readFileSync(`/proc/net/${transport}`, 'latin1'),
  );
};

export async function startRsyslog(dir: string, input: RsyslogInput, port?: number): Promise<Rsyslog> {
  const at = port ?? (await freePort());
  const [configuration, log, out] = ['rsyslog.conf', 'rsyslogd.log', 'messages.json'].map(name => join(dir, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(configuration, configurationOf(dir, input, at));
  const child = start('rsyslogd', PROGRAM, ['-n', '-f', configuration, '-i', join(dir, 'rsyslogd.pid')], log);
  const transport = input.transport === 'udp' ? 'udp' : 'tcp';
  await until('rsyslogd', async () => child.exitCode !== null || isBound(transport, at), 30_000);
  if (child.exitCode !== null) throw new Error(`rsyslogd ended: ${readFileSync(log, 'utf8')}`);
  const stop = (): Promise<void> => end(child);
  const messages = (): readonly SyslogMessage[] =>
    existsSync(out)
      ? readFileSync(out, 'utf8')
          .split('\n')
          .slice(0, -1)
          .map(line => JSON.parse(line) as SyslogMessage)
      : [];
  return {port: at, messages, stop, [Symbol.asyncDispose]: stop};
}
