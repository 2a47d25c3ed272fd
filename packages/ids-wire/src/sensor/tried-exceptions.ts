// SPDX-License-Identifier: Apache-2.0
/** The answer of `POST /v1/{endpoint}:tryExceptions`. Ours: Cloud IDS has no such method. */
import type {Severity} from '../records.ts';

export type TriedException = {
  /** As given. */
  readonly exception: string;
  /** Of the signature, where an alert of it is stored. */
  readonly name?: string;
  /** Alerts that this exception alone would have hidden. */
  readonly hidden: number;
  /** Why it hides no alert to come. */
  readonly warning?: string;
};

export type TriedExceptions = {
  readonly endpoint: string;
  /** Alerts looked at: the last ones that are stored. */
  readonly alerts: number;
  /** Times of the oldest and of the newest of them. */
  readonly oldest?: string;
  readonly newest?: string;
  /** Alerts that the exceptions together would have hidden. */
  readonly hidden: number;
  readonly exceptions: readonly TriedException[];
  /** Alerts that would have remained, by severity. */
  readonly remaining: Readonly<Partial<Record<Severity, number>>>;
  /** Alerts that the endpoint's own exceptions hid: they are not stored, and so not among `alerts`. */
  readonly hiddenBefore: number;
  /** False: there is no rule set, so it is not known which exceptions match a signature. */
  readonly rulesKnown: boolean;
};
