// SPDX-License-Identifier: Apache-2.0
/**
 * VXLAN devices of the kernel, by the program `ip` of iproute2. A device is named after the data folder and its VNI, and its alias says
 * which data folder made it: so what a crash left is found again, and another server's is left alone.
 */
import {execFile} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync} from 'node:fs';
import {realpath, writeFile} from 'node:fs/promises';
import {messageOf} from '../../sensor-error.ts';
import {VXLAN_PORT} from '../vxlan.ts';

const PLACES = ['/usr/sbin/ip', '/sbin/ip', '/usr/bin/ip', '/bin/ip'];
const TIMEOUT_MS = 10_000;
/** Ref: linux/if.h, IFNAMSIZ 16 with the end mark, and 1 for `p`, 1 for `-`, 8 for a VNI. */
const NAME_HASH_CHARS = 5;
/** Ref: linux/if.h, IFALIASZ 256 with the end mark. */
const ALIAS_CHARS = 240;

/** Path of `ip`; undefined: it is not installed. */
export const findIp = (): string | undefined => PLACES.find(existsSync);

export class IpError extends Error {
  override readonly name = 'IpError';
}

const run = (args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const path = findIp();
    if (path === undefined) return reject(new IpError('the program ip (package iproute2) is not installed'));
    execFile(path, [...args], {timeout: TIMEOUT_MS, env: {LC_ALL: 'C'}}, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new IpError(stderr.trim().replace(/^Error: |^RTNETLINK answers: /, '') || error.message));
    });
  });

/** What the devices of a data folder have in common. */
export type DeviceOwner = {
  /** Begins their names. */
  readonly prefix: string;
  readonly alias: string;
};

export const deviceOwner = async (dataDir: string): Promise<DeviceOwner> => {
  const path = await realpath(dataDir);
  const hash = createHash('sha256').update(path).digest('hex');
  const short = BigInt(`0x${hash.slice(0, 16)}`)
    .toString(36)
    .padStart(NAME_HASH_CHARS, '0')
    .slice(-NAME_HASH_CHARS);
  return {prefix: `p${short}-`, alias: `palisade ${hash.slice(0, 16)} ${path}`.slice(0, ALIAS_CHARS)};
};

export const deviceName = (owner: DeviceOwner, vni: number): string => `${owner.prefix}${vni}`;

type Link = {
  readonly ifname: string;
  readonly ifindex: number;
  readonly ifalias?: string;
  readonly link_type?: string;
  /** The bridge or bond that takes what arrives. */
  readonly master?: string;
  readonly linkinfo?: {readonly info_kind?: string; readonly info_data?: {readonly id?: number}};
};

const links = async (args: readonly string[]): Promise<readonly Link[]> => {
  const text = await run(['-json', '-details', 'link', 'show', ...args]);
  const all = text.trim() === '' ? [] : (JSON.parse(text) as readonly Partial<Link>[]);
  return all.filter((link): link is Link => link.ifname !== undefined); // others do not match: empty objects
};

const isOf = (owner: DeviceOwner, {ifname, ifalias}: Link): boolean =>
  ifalias === undefined ? ifname.startsWith(owner.prefix) : ifalias === owner.alias;

/** Names of the VXLAN devices that this data folder made. */
export const ownDevices = async (owner: DeviceOwner): Promise<readonly string[]> =>
  (await links(['type', 'vxlan'])).filter(link => isOf(owner, link)).map(link => link.ifname);

/**
 * Interfaces that are up and that packets of other hosts may arrive on: cards and ends of veth pairs. Not what shows their packets a second
 * time, such as a VLAN, and not what `palisade mirror` made. None where `ip` is missing.
 */
export const arrivalLinks = async (): Promise<readonly string[]> => {
  const up = await links(['up']).catch(() => []);
  return up
    .filter(({link_type, master, ifalias, linkinfo}) => {
      const isOrdinary = linkinfo?.info_kind === undefined || linkinfo.info_kind === 'veth';
      return link_type === 'ether' && master === undefined && isOrdinary && ifalias?.startsWith('palisade') !== true;
    })
    .map(({ifname}) => ifname);
};

/** No IPv6 of the host's own, and nothing of the mirrored network is taken for the host's. Where /proc may not be written: as it is. */
const SETTINGS = [
  ['ipv6', 'disable_ipv6', '1'],
  ['ipv4', 'rp_filter', '1'],
  ['ipv4', 'arp_ignore', '8'],
] as const;

const setUp = async (name: string, owner: DeviceOwner): Promise<void> => {
  const quiet = ['alias', owner.alias, 'addrgenmode', 'none', 'arp', 'off', 'multicast', 'off'];
  await run(['link', 'set', 'dev', name, ...quiet]);
  // Else the kernel joins segments, and Suricata gets other packets than the mirror sent. Old versions of ip do not know the word.
  await run(['link', 'set', 'dev', name, 'gro_max_size', '1']).catch(() => undefined);
  for (const [family, setting, value] of SETTINGS)
    await writeFile(`/proc/sys/net/${family}/conf/${name}/${setting}`, value).catch(() => undefined);
  await run(['link', 'set', 'dev', name, 'up']);
};

/** Its index. Throws IpError; nothing stays then. A device receives at every address of the host; `ip` is what it would send from. */
export const addDevice = async (owner: DeviceOwner, vni: number, ip: string): Promise<number> => {
  const name = deviceName(owner, vni);
  const kind = ['type', 'vxlan', 'id', String(vni), 'local', ip, 'dstport', String(VXLAN_PORT), 'nolearning'];
  await run(['link', 'add', 'name', name, ...kind]);
  try {
    await setUp(name, owner);
    return (await links(['dev', name]))[0]?.ifindex ?? 0;
  } catch (error) {
    await removeDevice(name);
    throw error;
  }
};

/** Also when it is not there. */
export const removeDevice = async (name: string): Promise<void> => {
  await run(['link', 'delete', 'dev', name]).catch((error: unknown) => {
    if (!/Cannot find device|No such device/.test(messageOf(error))) throw error;
  });
};

/** True when packets to this address are for this host. */
export const isOwnAddress = async (ip: string): Promise<boolean> => {
  const [route] = JSON.parse(await run(['-json', 'route', 'get', ip])) as readonly {readonly type?: string}[];
  return route?.type === 'local';
};
