// SPDX-License-Identifier: Apache-2.0
/** Why suites that need a sensor and read packets with tcpdump cannot run here; undefined: they can. */
import {execFileSync} from 'node:child_process';
import {whyNot} from '../../sensor/lab/lab.ts';

const hasTcpdump = ((): boolean => {
  try {
    execFileSync('tcpdump', ['--version'], {stdio: 'pipe'});
    return true;
  } catch {
    return false;
  }
})();

export const whyNoPackets = whyNot ?? (hasTcpdump ? undefined : 'tcpdump is not installed');
export const noPacketsReason = whyNoPackets === undefined ? '' : ` (skipped: ${whyNoPackets})`;
