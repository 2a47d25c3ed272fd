// SPDX-License-Identifier: Apache-2.0
/** Every bound of the Kubernetes API, each with a name. Beyond it the client gets a clear Status, never a hang. */
export type Limits = Readonly<Record<keyof typeof DEFAULT_LIMITS, number>>;

export const DEFAULT_LIMITS = {
  /** Bytes of a request body; more is 413. Ref: kubernetes v1.36 MaxRequestBodyBytes. */
  requestBodyBytesMax: 3 * 1024 * 1024,
  /** Bytes of one stored object (JSON); more is 413. */
  objectBytesMax: 3 * 1024 * 1024,
  /** Characters of a label or field selector. */
  selectorCharactersMax: 64 * 1024,
  /** Requirements of one label selector. */
  selectorRequirementsMax: 1_000,
  /** Watches open at the same time; one more is 429. */
  watchersMax: 20_000,
  /** The same of one user who is no administrator. */
  watchersPerUserMax: 5_000,
  /** Long lists that are being sent to one user who is no administrator; one more is 429. */
  listsPerUserMax: 32,
  /** Requests of one user that wait for seats at a priority level; one more is 429. */
  queuedPerUserMax: 500,
  /** The same of all users of a level: the user with the most waiting requests gives way. */
  queuedPerLevelMax: 1_000,
  /** How long a request waits for seats; then 429. Ref: kubernetes v1.36, a quarter of --request-timeout. */
  queueWaitMsMax: 15_000,
  /** Events kept for watches that resume; an older one ends with 410. */
  historyEventsMax: 10_000,
  /** Bytes of events kept for watches that resume. */
  historyBytesMax: 48 * 1024 * 1024,
  /** Bytes that wait here for one watch's socket while it catches up; a write is at most about as long. */
  watchSocketBytesMax: 64 * 1024,
  /** How long a watch may lag, with a reader that does not take what was written, before it is ended. */
  watchBlockedMsMax: 60_000,
  /** Bytes of answers that wait for their clients, and of bodies that are still coming, of all users; one more is 429. */
  unreadBytesMax: 256 * 1024 * 1024,
  /** The same of one user: a quarter, so that no user alone keeps the others out. */
  unreadBytesPerUserMax: 64 * 1024 * 1024,
  /** Bytes of lists that are encoded before their length is known, of all lists; what exceeds it is encoded twice. */
  preparedListBytesMax: 64 * 1024 * 1024,
  /** How long a client may take nothing of an answer, or send nothing of a body, before that is ended. */
  unreadMsMax: 60_000,
  /** How long an update is tried again when others keep changing the object. */
  updateAttemptsMax: 200,
  /** Suffixes tried for one generateName. Ref: kubernetes v1.36 maxNameGenerationCreateAttempts. */
  generateNameAttemptsMax: 8,
  /** Objects read from the store in one step while paging at an old revision. */
  storePageItems: 500,
  /** Users whose last mode of impersonation is remembered. Ref: kubernetes v1.36 newModeIndexCache. */
  rememberedRequestorsMax: 10_000,
  /** How long a read waits for a resourceVersion that is not there yet; then 504. */
  futureRevisionWaitMs: 3_000,
} as const satisfies Record<string, number>;

/** How long work is cut, so that it shares the event loop (cache/watch/scheduler.ts). Nothing is refused because of these. */
export const STEPS = {
  /** How long one slice of short steps may take. */
  sliceMsMax: 4,
  /** A slice is over after this many steps, too: the clock may stop or be set back. */
  sliceStepsMax: 500,
  /** The next pass over the watchers of a resource waits for as long as the last one took, at most so long: events share it. */
  passPauseMsMax: 10,
  /** Bytes of one write to a watcher, unless its last event is longer. */
  writeBytes: 64 * 1024,
  /** Writes to a live watcher in one pass; usually it needs one. */
  liveWritesMax: 16,
  /** Events that are looked at for one write. */
  writeEventsMax: 1_000,
  /** Existing objects that are looked at in one step for a watcher with a selector. */
  stateObjectsMax: 1_000,
  /** Objects that are decoded in one step: for a list of another version, or for one that selects by a field. */
  convertedObjectsMax: 100,
  /** Writes that are kept for other watchers at the same position. */
  sharedWritesMax: 64,
  /** What is made of a list in one step, in bytes of JSON: one to some milliseconds. */
  listBytes: {yaml: 64 * 1024, indented: 64 * 1024, compact: 256 * 1024, protobuf: 256 * 1024},
  /** Bytes of one piece of a list of stored JSON. */
  listPieceBytes: 256 * 1024,
  /** Free pieces kept for later lists. */
  freeListPiecesMax: 16,
} as const;

/** How the rights of open streams are checked (authz/open-rights.ts). */
export const RIGHTS = {
  /** From the begin of one round to that of the next. With what a round and the ends of 20,000 streams take: less than 5 s. */
  roundMs: 2_000,
  /** Checks that are begun together, between two looks at the time. */
  checksAtOnce: 16,
  /** Rounds in which a right could not be checked; then its streams end. */
  failedRoundsMax: 5,
} as const;
