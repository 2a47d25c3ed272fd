// SPDX-License-Identifier: Apache-2.0
import {readFile} from 'node:fs/promises';
import {availableParallelism} from 'node:os';
import type {Machine} from '../loss/ways-out.ts';

/** Ref: linux/capability.h. */
const CAP_NET_ADMIN = 12n;
const CAP_NET_RAW = 13n;

/** The bits of `CapEff` in the text of /proc/PID/status. */
export const effectiveCapabilities = (status: string): bigint =>
  BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);

const textOf = (path: string): Promise<string> => readFile(path, 'latin1').catch(() => '');

export const readMachine = async (driverNamed: boolean): Promise<Machine> => {
  const bits = effectiveCapabilities(await textOf('/proc/self/status'));
  const rmem = Number.parseInt(await textOf('/proc/sys/net/core/rmem_max'), 10);
  return {
    rmemMaxBytes: Number.isNaN(rmem) ? undefined : rmem,
    cores: availableParallelism(),
    driverNamed,
    netAdmin: (bits >> CAP_NET_ADMIN) % 2n === 1n,
    netRaw: (bits >> CAP_NET_RAW) % 2n === 1n,
  };
};
