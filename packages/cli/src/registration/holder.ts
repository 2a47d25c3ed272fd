// SPDX-License-Identifier: Apache-2.0
/**
 * Who holds the Lease of a registration: HOST_BOOT_NAMESPACE_PID_START. A further process of the same machine and boot can be looked
 * for; another machine cannot be seen, only whether it renews.
 */
import {livenessOf, type ProcessMark} from '@palisade/engine/process-mark';

export type Self = {readonly pid: number; readonly hostname: string; readonly mark: ProcessMark | undefined};

/** `random`: where the system does not report which process this is. */
export const identityOf = ({pid, hostname, mark}: Self, random: string): string =>
  mark === undefined ? `${hostname}_${random}` : [hostname, mark.boot, mark.namespace, pid, mark.startTicks].join('_');

const PARTS = /^(.*)_([^_]+)_([^_]+)_(\d+)_(\d+)$/;

export const hostOf = (identity: string): string => PARTS.exec(identity)?.[1] ?? identity.replace(/_[^_]*$/, '');

/** `gone`: a process of this machine that ended. A number: the id of one that runs. `elsewhere`: it cannot be seen from here. */
export const seenFrom = (own: string, other: string): 'gone' | 'elsewhere' | number => {
  const here = PARTS.exec(own);
  const there = PARTS.exec(other);
  if (here === null || there === null || here[2] !== there[2]) return 'elsewhere';
  const [, , boot = '', namespace = '', digits, startTicks = ''] = there;
  const pid = Number(digits);
  const liveness = livenessOf(pid, {boot, namespace, startTicks});
  return liveness === 'running' ? pid : liveness === 'gone' ? 'gone' : 'elsewhere';
};
