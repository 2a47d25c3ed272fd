// SPDX-License-Identifier: Apache-2.0
/** Every bound of the data plane, with its reason. `createSensorHost` takes a partial override (tests, small machines). */
export const SENSOR_LIMITS = {
  /** From spawn to `Engine started`. 30,000 rules compile in about 45 CPU seconds with Hyperscan; a busy machine triples that. */
  startTimeoutMs: 180_000,
  /** One download of rules: ET Open has 4 MB. */
  downloadTimeoutMs: 120_000,
  /** `suricata -T` on one rule set. */
  verifyTimeoutMs: 300_000,
  /** Suricata processes that load rules at the same time; loading is pure CPU. */
  startsAtOnceMax: 2,
  /** From the end of input, and again from SIGTERM, until the process must be gone. */
  exitTimeoutMs: 10_000,
  /** Restart back-off: first, doubling, at most; back to first after this long up. */
  restartFirstMs: 200,
  restartMostMs: 30_000,
  restartResetMs: 60_000,
  /** Restarts that failed in a row before the health says FAILED (they go on). */
  restartFailuresToFailed: 5,
  /** Bytes of packets that wait for Suricata, per endpoint. */
  queueBytesMax: 64 * 1024 * 1024,
  /** How long a packet waits for others before the relay writes them into the FIFO together. */
  relayBatchMs: 1,
  /** One write into the FIFO. */
  chunkBytes: 256 * 1024,
  /** Kernel receive buffer asked for; the kernel grants up to net.core.rmem_max. */
  socketBufferBytes: 4 * 1024 * 1024,
  /** How long a stop waits at most for packets that the kernel still holds: in a socket's receive buffer, or in Suricata's ring. */
  intakeDrainMs: 1_000,
  /**
   * How late Suricata's timed sleeps may end. Reading a capture file it looks every 250 µs whether flows have timed out, in two threads: 3 to
   * 9 % of an idle core; with this some 100 times a second. Packets wake it without a timer. Not for a Suricata that reads an interface: it
   * rarely looks, but its end is a thousand sleeps of 1 ms.
   */
  timerSlackNs: 10_000_000,
  /** A frame of ours moves packet time (and so flow time-outs) when nobody sends. */
  fillerMs: 1_000,
  /** Suricata reads nothing for this long although packets wait: it hangs and is restarted. */
  stallMs: 30_000,
  /** After so long the endpoint is DEGRADED for it: a reader looks at its packets many times a second. */
  stallSuspectMs: 5_000,
  /** How old the packet counts of Suricata's own capture may be when they are read: it collects them each 3 s, and reports each 3 s. */
  engineLagMs: 8_000,
  /** How often figures and a sign of life are written, so how much a kill of the server may cost of them. */
  heartbeatMs: 5_000,
  /** How often counters of the kernel are read and the loss ratio is judged. */
  watchMs: 2_000,
  /** Loss is judged over this time, at each look; more than the ratio makes DEGRADED. */
  lossWindowMs: 60_000,
  lossRatioMax: 0.01,
  /** A small loss makes DEGRADED when each of so many windows in a row has it. */
  lossSteadyRatioMax: 0.001,
  lossSteadyWindows: 3,
  /** Fewer packets than these, dropped in a window, are counted and make nothing DEGRADED. */
  lossPacketsMin: 5,
  /** More of the packets of a window that Suricata cannot decode make DEGRADED. */
  undecodedRatioMax: 0.1,
  /** How often the EVE file is looked at when no file event came. */
  evePollMs: 500,
  /** The same when file events are not to be had (the machine is out of inotify instances). */
  evePollUnwatchedMs: 100,
  /** A busy EVE file is read in turns this far apart: each line that Suricata writes is an event of the file. Aim: a record 50 ms after its packet. */
  eveGatherMs: 20,
  /** One read of the EVE file. */
  eveReadBytes: 256 * 1024,
  /** A longer EVE line is skipped and counted as unreadable. */
  eveLineBytesMax: 8 * 1024 * 1024,
  /** How often it is looked whether the EVE file is still where Suricata's file has to be. */
  eveCheckMs: 500,
  /** The EVE file is rotated above this size. */
  eveRotateBytes: 64 * 1024 * 1024,
  /** Wait before a rotation that failed is tried again: first, doubling, at most. */
  eveRotateRetryFirstMs: 2_000,
  eveRotateRetryMostMs: 60_000,
  /** The checkpoint is written at least this often although no record came. */
  eveCheckpointBytes: 4 * 1024 * 1024,
  /** Equal alerts within this time make one record. Ref: Cloud IDS threat log, repeat_count. */
  repeatWindowMs: 5_000,
  /** Open repeat windows per endpoint; beyond it the oldest is closed early. */
  repeatWindowsMax: 10_000,
  /** Wait before a failed commit of records is tried again: first, at most. */
  commitRetryFirstMs: 200,
  commitRetryMostMs: 10_000,
  /** One answer of the command socket. */
  commandTimeoutMs: 10_000,
  /** `reload-rules` compiles the whole set before it answers. */
  reloadTimeoutMs: 300_000,
  /** Below this much free disk space the endpoint is DEGRADED and traffic logs stop; both end at so much more than the floor. */
  diskFloorBytes: 64 * 1024 * 1024,
  diskRecoverBytes: 32 * 1024 * 1024,
  /** Below the floor the EVE file is rotated above this size: what has been read is given back soon. */
  eveRotateLowDiskBytes: 4 * 1024 * 1024,
} as const;
export type SensorLimits = {readonly [K in keyof typeof SENSOR_LIMITS]: number};

/** Rules of one set that users turned on or off. */
export const RULE_SWITCHES_MAX = 5_000;
/** Refused and skipped rules of a set that are kept by name, of each kind; the rest is counted. */
export const RULE_FAULTS_MAX = 10_000;
/** Those of them that an answer, or one line of the log, lists. */
export const RULES_LISTED_MAX = 100;
/** Bytes of one rule. Ref: Suricata 7 detect.h, DETECT_MAX_RULE_SIZE (8192 with the end mark). */
export const RULE_BYTES_MAX = 8191;
/** Runs of `suricata -T` on one rule set, each without the rules that the one before refused. */
export const VERIFY_RUNS_MAX = 3;
/** Runs that Suricata gives up at a rule, whose file it cannot read; each goes on without that rule. */
export const VERIFY_GIVEN_UP_MAX = 20;
/** One rule file. */
export const RULE_FILE_BYTES_MAX = 256 * 1024 * 1024;
/** Log lines of Suricata kept for a failure's message. */
export const ENGINE_LOG_LINES_MAX = 50;
/** Blind times kept by endpoint, the newest; the older ones are in the total. */
export const BLIND_INTERVALS_MAX = 100;
/** Of the reason of one. */
export const BLIND_WHY_CHARS_MAX = 500;
/** Minutes of packet loss kept by endpoint. */
export const LOSS_MINUTES_MAX = 60;
/** Packets over time: the rows of HISTORY_STEPS, of four numbers with at most 16 digits. */
export const HISTORY_FILE_BYTES_MAX = 256 * 1024;
/** How often it is written, so how much of it a kill of the server may cost. */
export const HISTORY_SAVE_MS = 60_000;
/** 100 blind times with reasons of four bytes a character, and the rest. */
export const FIGURES_FILE_BYTES_MAX = 512 * 1024;
/** Alerts of one packet that Suricata keeps; more are discarded and counted. */
export const PACKET_ALERTS_MAX = 64;
/** The event of one threat that is kept; a longer one loses packet and payload. */
export const EVIDENCE_BYTES_MAX = 32 * 1024;
/** Of a threat record; what is longer ends with `…`. The context is the part of the details that traffic fills. */
export const URI_CHARS_MAX = 2_048;
export const CONTEXT_CHARS_MAX = 2_048;
export const DETAILS_CHARS_MAX = 4_096;
/** Of a session's data, as Suricata writes it into an alert. */
export const PAYLOAD_BYTES_MAX = 8 * 1024;
/** One capture file of flows with alerts; Suricata takes no less. */
export const FLOW_FILE_BYTES = 4 * 1024 * 1024;
/** Those of one endpoint: the oldest is overwritten. */
export const FLOW_FILES_MAX = 16;
/** Frames of one flow that are read from them. */
export const FLOW_FRAMES_BYTES_MAX = 8 * 1024 * 1024;
/** How often capture files that are too old or too many are deleted. */
export const FLOW_FILES_TIDY_MS = 60_000;
/** How often the disk is looked at for them. */
export const FLOW_DISK_LOOK_MS = 2_000;
/**
 * Below so much free disk space they are deleted; on a small disk, below its FREE_SHARE-th part. Above the floor of the records (ids
 * limits.ts, RECORD_FREE_BYTES_MIN and RECORD_FREE_SHARE), so that these files go before any record.
 */
export const FLOW_FREE_BYTES_MIN = 320 * 1024 ** 2;
export const FLOW_FREE_SHARE = 16;
/** One file that rules name: a dataset, a list of checksums or of reputations. */
export const SIDE_FILE_BYTES_MAX = 64 * 1024 * 1024;
/** Those of one rule set. */
export const SIDE_FILES_MAX = 1_000;
/** Files of one archive or folder of rules. ET Open has about 60. */
export const ARCHIVE_FILES_MAX = 10_000;
/** Bytes of one archive when unpacked. ET Open has about 40 MB. */
export const ARCHIVE_UNPACKED_BYTES_MAX = 512 * 1024 * 1024;
/** Bytes of one file of --threshold-file or --suricata-include. */
export const SETTINGS_BYTES_MAX = 1024 * 1024;
/** Faulty threshold lines that Suricata is asked to find. */
export const THRESHOLD_FAULTS_MAX = 5;
