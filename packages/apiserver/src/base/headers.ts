// SPDX-License-Identifier: Apache-2.0
/** Headers of an answer; several values are sent as several lines. */
export type Headers = Record<string, string | number | readonly string[]>;
