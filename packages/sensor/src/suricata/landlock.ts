// SPDX-License-Identifier: Apache-2.0
/**
 * Landlock: Suricata restricts itself to its working folder and a few system folders before it reads a rule or a packet. All Suricatas of a
 * host run as the same user: file permissions alone do not keep one endpoint's Suricata out of the folder of another.
 * Ref: Suricata 7 util-landlock.c; landlock(7).
 */
import type {Log} from '../ports.ts';
import type {EngineLogLine} from './engine-log.ts';

/** Folders that may be read besides the working folder: random numbers, number of processors, libraries and databases of packages. */
export const LANDLOCK_READS = ['/dev', '/sys/devices/system/cpu', '/usr'] as const;

/** Suricata goes on without the restriction after each of these. */
const NOT_RESTRICTED = /^(?:Kernel does not support Landlock|Can't create landlock ruleset|Can't self restrict \()/;
const WAY_OUT =
  "file permissions alone restrict Suricata; start Linux 5.13 or newer with Landlock (lsm=landlock,…) to restrict it to its endpoint's folder";

export type Landlock = {
  /** Undefined: Suricata restricts itself; otherwise why it cannot, and what to do. */
  readonly missing: string | undefined;
  /** A line of Suricata's log. True: it is about Landlock and has been dealt with. */
  readonly note: (line: EngineLogLine) => boolean;
};

/** What all Suricatas of a host say of Landlock; logged once. `built`: Suricata was built with it. */
export const watchLandlock = (built: boolean, log: Log): Landlock => {
  let missing: string | undefined;
  const miss = (why: string): void => {
    if (missing === undefined) log.info({reason: why}, 'Landlock is not available to Suricata');
    missing ??= why;
  };
  if (!built)
    miss('Landlock is not available: this Suricata was built without it; file permissions alone restrict Suricata');
  return {
    get missing() {
      return missing;
    },
    note: ({message}) => {
      if (!NOT_RESTRICTED.test(message)) return false;
      miss(`Landlock is not available (Suricata: ${message}): ${WAY_OUT}`);
      return true;
    },
  };
};
