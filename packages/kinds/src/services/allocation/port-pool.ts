// SPDX-License-Identifier: Apache-2.0
/**
 * Node ports, and the ports that one write takes of them.
 * Ref: kubernetes v1.36 pkg/registry/core/service/portallocator/{allocator,operation}.go.
 */
import type {Random} from '@palisade/apiserver';
import type {KindSettings} from '../../settings.ts';
import {bandOf, createPool} from './pool.ts';

const BAND = {least: 16, most: 128, part: 32};
/** Ports that a dry run makes up begin behind this one. */
const MADE_UP_AFTER = 32_768;
/** Below this port a dry run looks for one that is free. */
const LOOKED_AT = 100;

export const PORT_TAKEN = 'provided port is already allocated';
export const NO_PORT_LEFT = 'range is full';

export type PortPool = {
  /** Why it cannot be taken, or undefined: it was. */
  take(port: number): string | undefined;
  takeAny(): number | undefined;
  giveBack(port: number): void;
  hold(port: number): void;
  has(port: number): boolean;
};

export const createPortPool = ({first, last}: KindSettings['nodePorts'], random: Random): PortPool => {
  const size = last - first + 1;
  const pool = createPool(size, bandOf(size, BAND), random);
  const isIn = (port: number): boolean => port >= first && port <= last;
  return {
    take: port => {
      if (!isIn(port)) return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
      if (pool.has(port - first)) return PORT_TAKEN;
      pool.take(port - first);
      return undefined;
    },
    takeAny: () => {
      const offset = pool.takeAny();
      return offset === undefined ? undefined : first + offset;
    },
    giveBack: port => {
      if (isIn(port)) pool.giveBack(port - first);
    },
    hold: port => {
      if (isIn(port)) pool.take(port - first);
    },
    has: port => isIn(port) && pool.has(port - first),
  };
};

/** The ports of one write. */
export type PortOperation = Pick<PortPool, 'take' | 'takeAny'> & {readonly taken: readonly number[]};

export const realPorts = (pool: PortPool): PortOperation => {
  const taken: number[] = [];
  return {
    taken,
    take: port => {
      const fault = pool.take(port);
      if (fault === undefined) taken.push(port);
      return fault;
    },
    takeAny: () => {
      const port = pool.takeAny();
      if (port !== undefined) taken.push(port);
      return port;
    },
  };
};

/** Of a dry run: nothing is taken, the range is not looked at, and what is chosen is made up. */
export const madeUpPorts = (pool: PortPool): PortOperation => {
  const seen: number[] = [];
  const take = (port: number): string | undefined => {
    if (pool.has(port) || seen.includes(port)) return PORT_TAKEN;
    seen.push(port);
    return undefined;
  };
  return {
    taken: [],
    take,
    takeAny: () => {
      const last = seen.length === 0 ? MADE_UP_AFTER : Math.max(0, ...seen);
      for (let port = last + 1; port < LOOKED_AT; port++) if (take(port) === undefined) return port;
      seen.push(last + 1);
      return last + 1;
    },
  };
};
