// SPDX-License-Identifier: Apache-2.0
/** Every limit of the IDS API, by name; those of an endpoint's fields are in ids-wire/src/endpoint-rules.ts. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const PAGE_SIZE_DEFAULT = 50;
export const PAGE_SIZE_MAX = 1_000;
export const BODY_BYTES_MAX = 1_048_576;

/** How long a request id is recognised. The API promises 60 minutes. Ref: requirements I-091, I-092. */
export const REQUEST_ID_KEPT_MS = DAY_MS;
/** How long a finished operation can be read. */
export const OPERATION_KEPT_MS = 30 * DAY_MS;
/** Finished operations beyond this are dropped, oldest first (never younger than the request-id window). */
export const OPERATIONS_KEPT_MAX = 100_000;
export const JANITOR_INTERVAL_MS = MINUTE_MS;
export const JANITOR_BATCH = 50;

/** Permissions that one request asks about. */
export const TESTED_PERMISSIONS_MAX = 100;

/** Attempts of a write that another writer overtook. */
export const CONFLICT_ATTEMPTS_MAX = 16;

/** Sensors that are started at the same time; one that takes longer than STARTS_SLOT_MS no longer counts. */
export const STARTS_PARALLEL_MAX = 4;
export const STARTS_SLOT_MS = MINUTE_MS;
/** Addresses that a create tries when they turn out to be in use outside. */
export const ADDRESS_ATTEMPTS_MAX = 8;
export const RESYNC_INTERVAL_MS = 5 * SECOND_MS;
export const RETRY_DELAY_MIN_MS = 100;
export const RETRY_DELAY_MAX_MS = 30 * SECOND_MS;

/** WaitOperation answers after this at the latest. */
export const OPERATION_WAIT_MAX_MS = 5 * MINUTE_MS;
export const OPERATION_WAIT_DEFAULT_MS = 30 * SECOND_MS;

/** Records and evidence on disk, and how long they stay; the lowest class goes first (records/evictions.ts), and is counted. */
export const RECORD_BUDGETS_DEFAULT = {
  threats: {bytes: 4 * 1024 ** 3, ageMs: 90 * DAY_MS},
  traffic: {bytes: 2 * 1024 ** 3, ageMs: 30 * DAY_MS},
  evidence: {bytes: 4 * 1024 ** 3, ageMs: 30 * DAY_MS},
} as const;
/** Of the record store: open partitions for writing, and the page cache of each. */
export const RECORD_FILES_OPEN_MAX = 12;
export const RECORD_FILE_CACHE_KIB = 4_096;
/** Of a partition: its log goes into the file when it is so large; 4 KiB pages. */
export const RECORD_LOG_BYTES = 1024 ** 2;
/** Commits that are kept in the redo log until partitions are synced, and of one transaction. */
export const REDO_BYTES_MAX = 16 * 1024 ** 2;
export const COMMIT_BYTES_MAX = 4 * 1024 ** 2;
/** Below so much free disk space records are dropped; on a small disk, below its FREE_SHARE-th part. */
export const RECORD_FREE_BYTES_MIN = 256 * 1024 ** 2;
export const RECORD_FREE_SHARE = 20;
/** Damaged files that are kept for whoever wants to look into them; those set aside first go first. No budget counts them. */
export const DAMAGED_FILES_KEPT_MAX = 8;
/** A file of records that the disk has refused to return for so long counts as damaged; it is read as a whole at most once in so long. */
export const RECORD_FILE_REFUSED_MS = 5 * MINUTE_MS;
export const RECORD_FILE_RECHECK_MS = 10 * SECOND_MS;
/** What the record store keeps of the disk, so that it can drop records when that is full. */
export const RECORD_RESERVE_BYTES = 512 * 1024;
/** A copy of the record store ends when nobody reads its file or asks for the next one for so long, or when so many of its files are held open at once. */
export const RECORD_COPY_IDLE_MS = MINUTE_MS;
export const RECORD_COPY_PINS_MAX = 200;
/** Of one file, that a check of the records lists. */
export const RECORD_FAULTS_SHOWN_MAX = 10;
/** Records of one page of a reader inside of the server. */
export const RECORDS_PAGE = 500;
/** Of records as JSON: where a page, or changes, end before they have as many as were asked for. Changes end at the end of a commit. */
export const READ_BYTES_MAX = 2 * 1024 ** 2;
/** Decisions that are kept of one threat, what they take with their comments, and the length of a comment. */
export const TRIAGE_EVENTS_MAX = 200;
export const TRIAGE_BYTES_MAX = 64 * 1024;
export const COMMENT_CHARS_MAX = 4_000;
/** Records that one batchAcknowledge changes; more are refused with their number. */
export const TRIAGE_BATCH_MAX = 100_000;
/** Samples of one answer about packets over time, and how many make the default step. */
export const FIGURE_SAMPLES_MAX = 2_016;
export const FIGURE_SAMPLES_DEFAULT = 400;
/** Rules that one request turns on or off. */
export const SWITCHED_RULES_MAX = 1_000;
/** Of an aggregate. */
export const GROUPS_DEFAULT = 20;
export const GROUPS_MAX = 1_000;
export const HISTOGRAM_BARS_MAX = 5_000;
/** Of the reader: partitions that are open at a time, what each caches, and how many statements it keeps prepared. */
export const PARTITIONS_OPEN_MAX = 16;
export const PARTITION_CACHE_KIB = 256;
export const PARTITION_STATEMENTS_MAX = 32;
/** Rows that one step of a read takes from a partition; it starts with the least. */
export const READ_STEP_ROWS_MIN = 64;
export const READ_STEP_ROWS_MAX = 1_024;
/** Of the records with which a step ends early, and in which changes go from thread to thread. */
export const READ_STEP_BYTES_MAX = 256 * 1024;
/** Rows up to which an index of addresses or threats is used instead of time order. */
export const READ_PROBE_ROWS = 10_000;
/** After so long a read lets others go first. */
export const READ_SLICE_MS = 8;
/** Pages and aggregates that are read side by side; others wait. */
export const READS_AT_ONCE_MAX = 4;
/** Heap of the reading thread. */
export const READER_HEAP_MIB = 48;
/** Groups of an aggregate in memory; more go to a temporary file. */
export const GROUPS_IN_MEMORY_MAX = 50_000;
/** How long the health of an endpoint shows that its records were evicted. */
export const RECORD_EVICTIONS_SHOWN_MS = MINUTE_MS;
/** Records that an exporter sends at a time, and how long the receiver has to take them. */
export const EXPORT_BATCH = 500;
/** Of an exporter that gets the events with the records: they may have packets and payloads. */
export const EXPORT_EVENT_BATCH = 100;
/** How long the position of an exporter that finds nothing to send may stay in memory alone. */
export const EXPORT_SAVE_MS = MINUTE_MS;
export const EXPORT_SEND_MS = 30 * SECOND_MS;
/** Between attempts of an exporter: doubled each time, minus a random part of up to a half; a receiver that names a time gets it. */
/** A thread of the record store that keeps ending is started again after this time, doubled up to the second one. */
export const RECORD_THREAD_RESTART_MIN_MS = SECOND_MS;
export const RECORD_THREAD_RESTART_MAX_MS = MINUTE_MS;
export const EXPORT_RETRY_MIN_MS = SECOND_MS;
export const EXPORT_RETRY_MAX_MS = 30 * SECOND_MS;
export const EXPORT_RETRY_AFTER_MAX_MS = 10 * MINUTE_MS;
/** Attempts for a record that the receiver refuses, before it is skipped. */
export const EXPORT_REFUSED_TRIES = 5;
/** An exporter whose oldest record waits longer is BEHIND. */
export const EXPORT_BEHIND_MS = MINUTE_MS;
/** How long a server that stops sends what is stored. */
export const EXPORT_DRAIN_MS = 5 * SECOND_MS;
/** How long an exporter waits for a connection, and for a syslog receiver to close one after the last message. */
export const EXPORT_CONNECT_MS = 10 * SECOND_MS;
export const EXPORT_CONFIRM_MS = 10 * SECOND_MS;
/** Records that one batch of a sensor carries at most. */
export const RECORDS_PER_TXN = 2_000;
/** Stored alerts that exceptions are tried on. */
export const TRIED_ALERTS_DEFAULT = 1_000;
export const TRIED_ALERTS_MAX = 1_000_000;
/** Follow streams per server, and of one user: the one that is acted as. With `--auth none` all callers are one user. */
export const FOLLOWERS_MAX = 256;
export const FOLLOWERS_PER_USER_MAX = 32;
/** How long a reader whose stream was ended has to take what waits for it. */
export const FOLLOW_END_MS = 5 * SECOND_MS;
/** Streams of grpc.health.v1 Watch per server; they need no user. */
export const HEALTH_WATCHES_MAX = 256;
export const FOLLOW_HEARTBEAT_MS = 15 * SECOND_MS;
/** Threats that are read with evidence and rule, and capture files that are put together (some 50 MiB each), at once; others wait. */
export const THREAT_READS_AT_ONCE_MAX = 4;
export const PCAP_READS_AT_ONCE_MAX = 2;
/** Of each of the two: requests that wait, and those of one user that run and wait. */
export const THREAT_READS_WAITING_MAX = 64;
export const THREAT_READS_PER_USER_MAX = 16;
/** Packets of a threat's flow are searched for so long after its alert: a session that goes on has them for as long. */
export const FLOW_AFTER_MICROS = 600_000_000;
