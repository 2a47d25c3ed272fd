// SPDX-License-Identifier: Apache-2.0
/** Two network namespaces and a pair of virtual links between them: one for bare frames, one for the mirror. tcpreplay sends. */
import {type ChildProcess, execFileSync, spawn} from 'node:child_process';

export type Link = {
  readonly near: string;
  readonly far: string;
  readonly nearMac: string;
  readonly farMac: string;
  readonly nearIp: string;
  readonly farIp: string;
};

const linkOf = (name: string, net: number): Link => ({
  near: `${name}-in`,
  far: `${name}-out`,
  nearMac: `02:00:00:00:0${net}:02`,
  farMac: `02:00:00:00:0${net}:01`,
  nearIp: `10.99.${net}.2`,
  farIp: `10.99.${net}.1`,
});
export const BARE_LINK = linkOf('bare', 1);
export const MIRROR_LINK = linkOf('mirror', 2);
/** The endpoints' addresses; the host answers them. */
export const ENDPOINT_POOL = '10.77.0.0/24';
/** An inner frame of full size, and what is put around it. */
const MTU = 9000;

const ip = (...args: readonly string[]): void => {
  execFileSync('ip', args, {stdio: ['ignore', 'inherit', 'inherit']});
};

export type Network = {readonly sender: string; readonly close: () => void};

/** In a fresh network namespace; makes the sender's. */
export const openNetwork = async (): Promise<Network> => {
  ip('link', 'set', 'lo', 'up');
  const holder = spawn('unshare', ['-n', 'sh', '-c', 'echo up; exec sleep infinity'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>(resolve => holder.stdout.once('data', () => resolve()));
  const sender = String(holder.pid);
  for (const {near, far, nearMac, farMac, nearIp} of [BARE_LINK, MIRROR_LINK]) {
    const peer = ['peer', 'name', far, 'address', farMac, 'mtu', String(MTU), 'netns', sender];
    ip('link', 'add', near, 'address', nearMac, 'mtu', String(MTU), 'type', 'veth', ...peer);
    execFileSync('sysctl', ['-qw', `net.ipv6.conf.${near}.disable_ipv6=1`], {stdio: 'ignore'});
    ip('link', 'set', near, 'arp', 'off', 'up');
    ip('address', 'add', `${nearIp}/24`, 'dev', near);
    for (const words of [
      ['sysctl', '-qw', `net.ipv6.conf.${far}.disable_ipv6=1`],
      ['ip', 'link', 'set', far, 'up'],
    ])
      execFileSync('nsenter', ['-t', sender, '-n', ...words], {stdio: 'ignore'});
  }
  ip('route', 'add', 'local', ENDPOINT_POOL, 'dev', 'lo');
  return {sender, close: () => holder.kill('SIGKILL')};
};

export type Sent = {readonly packets: number; readonly seconds: number; readonly failed: number};

const numberIn = (pattern: RegExp, text: string): number => Number(pattern.exec(text)?.[1] ?? 0);

/** Sends a capture file `loops` times at a fixed rate. */
export const send = async (network: Network, link: Link, file: string, rate: number, loops = 1): Promise<Sent> => {
  const args = ['-q', '-K', '--no-flow-stats', `--loop=${loops}`, `--pps=${rate}`, '-i', link.far, file];
  const child: ChildProcess = spawn('nsenter', ['-t', network.sender, '-n', 'tcpreplay', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  const code = await new Promise<number | null>(resolve => child.once('close', resolve));
  if (code !== 0) throw new Error(`tcpreplay ended with code ${code}: ${text}`);
  return {
    packets: numberIn(/Successful packets:\s+(\d+)/, text),
    seconds: numberIn(/ in ([\d.]+) seconds/, text),
    failed: numberIn(/Failed packets:\s+(\d+)/, text),
  };
};
