// SPDX-License-Identifier: Apache-2.0
/** Every bound of the prober in one place. */

/** Checks that are made at a time; others wait, which is counted and logged. Each takes a file descriptor and about 10 KB. */
export const CHECKS_UNDER_WAY_MAX = 4_096;
/** Part of them that one group may have while there are others. */
export const GROUP_SHARE = 0.25;
/** Part of them that the groups of one namespace may have while there are others, beside their own places. */
export const NAMESPACE_SHARE = 0.5;
/** Part of them that is divided among the namespaces, and in each among its groups: nobody else can take these. */
export const OWN_PART = 0.25;
/** It is divided as if there were at least so many, so that what is handed out seldom shrinks. */
export const NAMESPACES_LEAST = 8;
/** Own places of one group. */
export const GROUP_OWN_MAX = 4;
/** Results wait at most so long for others that go with them. */
export const RESULTS_BATCH_MS = 20;
/** How often the thread says what it does, also without results. */
export const THREAD_REPORT_MS = 1_000;
/** Checks that start later than this are reported as late. */
export const LATE_START_MS = 1_000;
/** A time-out that comes so much late shows that the thread was held up: the answer may be there, unread. */
export const HELD_UP_MS = 50;
/** A condition that lasts is logged so often. */
export const LOG_AGAIN_MS = 60_000;

/** Between two first checks, so that a start does not ask all at once. */
export const FIRST_CHECKS_GAP_MS = 1;

/** What is read of an answer. Ref: kubernetes v1.36 pkg/probe/http/http.go, maxRespBodyLength. */
export const BODY_BYTES_MAX = 10 * 1_024;
export const HEADER_BYTES_MAX = 16 * 1_024;
/** Ref: kubernetes v1.36 pkg/probe/http/http.go, RedirectChecker. */
export const REDIRECTS_MAX = 10;
/** For the answer to a closing handshake (WebSocket) of a check that has passed. */
export const CLOSING_MS_MAX = 500;
export const MESSAGE_CHARS_MAX = 300;
/** Contexts of TLS that are kept, one for each bundle of certificates in use. */
export const TLS_CONTEXTS_MAX = 256;

/** Wait before a thread that ended is started again: doubles while threads keep ending. */
export const THREAD_RESTART_MIN_MS = 100;
export const THREAD_RESTART_MAX_MS = 30_000;
/** A thread that has reported nothing for so many looks is ended, and replaced. */
export const THREAD_LOOK_MS = 5_000;
export const THREAD_SILENT_LOOKS_MAX = 6;
/** For a thread to end its checks when the server stops; then it is ended. */
export const THREAD_STOP_MS_MAX = 5_000;
/** Targets in one message to the thread. */
export const TARGETS_PER_MESSAGE_MAX = 1_000;
