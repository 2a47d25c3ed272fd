// SPDX-License-Identifier: Apache-2.0
/**
 * How kernel objects of a mirror are named and marked, so that they are found again without the server: devices by name and alias, filters
 * that mirror by the cookie of their action, filters that skip by their class id.
 */
import {createHash} from 'node:crypto';

/** First bytes of the cookies: `pal`. */
const COOKIE_PREFIX = '70616c';
/** Major part of the class ids. */
const CLASS_MAJOR = '9a11';
const ID_CHARS = 6;
const HASH_CHARS = 5;
const COOKIE_CHARS = 16;
const HASH_PART = /^[0-9a-f]{5}[ab]?$/;
/** What an alias begins with; the endpoint and the interfaces follow. */
const ALIAS = 'palisade mirror of ';
const CLSACT = ' clsact=';
/** Ref: Linux IFALIASZ, with the end of the string. */
export const ALIAS_MAX = 255;

export type MirrorNames = {
  /** The device that encapsulates; at most 14 characters, so that a letter may follow. Ref: Linux IFNAMSIZ. */
  readonly device: string;
  /** Both ends of the detour to an address of this host. */
  readonly near: string;
  readonly far: string;
  /** Hexadecimal, of the actions of the filters that mirror. */
  readonly cookie: string;
  /** Of the filters that skip. */
  readonly classId: string;
};

/** `endpoint`: the full resource name. */
export const namesOf = (endpoint: string): MirrorNames => {
  const hash = createHash('sha256').update(endpoint).digest('hex');
  const id = endpoint.split('/').at(-1) ?? '';
  const device = `pm${id.slice(0, ID_CHARS)}-${hash.slice(0, HASH_CHARS)}`;
  const minor = (Number.parseInt(hash.slice(-4), 16) % 0xfffe) + 1;
  return {
    device,
    near: `${device}a`,
    far: `${device}b`,
    cookie: COOKIE_PREFIX + hash.slice(0, COOKIE_CHARS),
    classId: `${CLASS_MAJOR}:${minor.toString(16)}`,
  };
};

/** Of any endpoint. */
export const isOurCookie = (cookie: string | undefined): boolean => cookie?.startsWith(COOKIE_PREFIX) === true;
export const isOurClass = (classId: string | undefined): boolean => classId?.startsWith(`${CLASS_MAJOR}:`) === true;

/** Names of devices for an endpoint of which only the id is known. */
export const mayBeDeviceOf = (id: string, device: string): boolean => {
  const start = `pm${id.slice(0, ID_CHARS)}-`;
  return device.startsWith(start) && HASH_PART.test(device.slice(start.length));
};

export type MirrorAlias = {
  readonly endpoint: string;
  /** Interfaces that have a clsact qdisc because of us. */
  readonly clsact: readonly string[];
};

export const toAlias = ({endpoint, clsact}: MirrorAlias): string =>
  `${ALIAS}${endpoint}${clsact.length === 0 ? '' : `${CLSACT}${clsact.join(',')}`}`;

export const parseAlias = (alias: string | undefined): MirrorAlias | undefined => {
  if (alias?.startsWith(ALIAS) !== true) return undefined;
  const [endpoint = '', interfaces = ''] = alias.slice(ALIAS.length).split(CLSACT);
  return {endpoint, clsact: interfaces === '' ? [] : interfaces.split(',')};
};
