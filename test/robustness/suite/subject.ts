// SPDX-License-Identifier: Apache-2.0
/**
 * What a robustness run needs from whatever it disturbs: a program that works on one folder, and is started, disturbed and
 * ended again and again, while clients of its own call it and write down what they saw.
 *
 *   Subject   the kind of program (`store`, `server`, `records`)
 *   Life      one folder from its making to its end, with the record of all its clients
 *   Running   one process of it, with its traffic
 *
 * The frame (life.ts) draws faults, strikes, kills and starts again; the subject makes traffic and judges its record.
 * Ref: etcd tests/robustness (traffic, failpoint, report, validate)
 */
import type {FaultKind} from './faults.ts';
import type {Random} from './random.ts';

export type Surroundings = {
  /** An empty folder: the subject keeps all that it must not lose in it, and nothing else of it is written anywhere. */
  readonly folder: string;
  /**
   * Variables, in addition to those of the test, for each process that works on the folder: with them its files are those of
   * the faulty disk. Call it right before each start. Empty where no faulty disk can be made.
   */
  readonly env: () => Readonly<Record<string, string>>;
  readonly seed: number;
};

export interface Subject {
  readonly name: string;
  /** What it can take. The frame draws from these. */
  readonly faults: readonly FaultKind[];
  /** Calls that a round waits for between two of its steps, at most: 1 to this, drawn by the seed. */
  readonly answersMax: number;
  readonly live: (surroundings: Surroundings) => Life;
}

export interface Life {
  /**
   * Starts a process on the folder. Does not wait: see `Running.ready`. `round` counts from 0; what the clients do follows from
   * `random` and from what they find. Watches continue where their clients were in the round before.
   */
  start(round: number, random: Random): Running;
  /**
   * Looks at a damaged copy of the folder, made after a process ended: whether it is refused, or what of the record it lacks.
   * A life without it gets no damage.
   */
  inspect?(copy: string): Promise<Inspection>;
  /** Databases and logs that `inspect` looks at, by their path in the copy; without it, all of them. */
  readonly isInspected?: (path: string) => boolean;
  /**
   * The disk forgot what was not synced, after the last process ended. Where a sync failed, it may also have kept what was
   * refused for that reason: whether such calls were done is unknown now.
   */
  powerLost?(): void;
  /** All that the clients saw in all rounds, judged. Called once, after the last process ended. */
  judge(): Promise<Verdict>;
}

export interface Running {
  /** The process that gets the signals. */
  readonly pid: number;
  /**
   * Resolves when the program serves and its traffic flows, and when the process ended before. Rejects with `StartRefused`
   * when the program refuses its folder with a message (the process has ended then).
   */
  readonly ready: Promise<void>;
  /** Resolves when so many more calls were answered (refusals count), and when the process ended. */
  answers(count: number): Promise<void>;
  /**
   * No new calls; those under way are answered, watches get everything up to the newest change, then the program is ended as
   * its users end it. Resolves with `ended`.
   */
  finish(): Promise<Ending>;
  /** Resolves when the process is gone and all that it, or its clients, reported is in the record. */
  readonly ended: Promise<Ending>;
}

export type Ending = {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  /** What it wrote on stderr: shown with a violation. */
  readonly stderr: string;
};

/** The program did not start, and said why. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
  /** A word that a program can tell apart: `disk-full`, `lost-writes`, `corrupt`, … */
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * A damaged copy was `refused` with a code, or served: then with `faults`, empty when all that it serves is as it was written.
 * `lost`: which answered writes it lacked. `last-commit`: those that were synced together last, and it says so; `end`: all from
 * some transaction on.
 */
export type Inspection =
  | {readonly refused: string; readonly message: string}
  | {
      readonly refused?: undefined;
      readonly faults: readonly string[];
      readonly lost: 'nothing' | 'last-commit' | 'end';
    };

export type Verdict = {
  /** Every validator of the subject, by name, with its faults; empty: it holds. */
  readonly violations: Readonly<Record<string, readonly string[]>>;
  /** By name, for the table: `answered` (writes), `refused`, `unanswered`, `events`, `watches`, `bookmarks`, … */
  readonly counts: Readonly<Record<string, number>>;
};
