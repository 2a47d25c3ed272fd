// SPDX-License-Identifier: Apache-2.0
/**
 * What the clients of a registry saw: each call with its times, each watch with what it delivered. Nothing in it comes from
 * anywhere else. Every written value has an id that no other write of the life has.
 * Times are positions in one order: a call that was answered before another was made has the smaller number.
 * Ref: etcd tests/robustness/report/client.go
 */

/**
 * One change of a transaction. `expected`: the revision that the key must have, 0: absent, undefined: whatever it is.
 * `exists`: only where the key is there, whatever its revision. `orAbsent`: `expected`, or absent.
 */
export type Step =
  | {
      readonly op: 'put';
      readonly key: string;
      readonly id: string;
      readonly expected?: number | undefined;
      readonly exists?: boolean | undefined;
      readonly orAbsent?: boolean | undefined;
    }
  | {readonly op: 'delete'; readonly key: string; readonly expected?: number | undefined};

export type Request =
  | {readonly kind: 'write'; readonly steps: readonly Step[]}
  | {readonly kind: 'get'; readonly key: string; readonly at?: number | undefined}
  | {readonly kind: 'list'; readonly prefix: string; readonly at?: number | undefined};

/** A value that was read. `id`: TORN when its bytes are not those of any id. */
export type Version = {readonly key: string; readonly id: string; readonly revision: number};
export const TORN = '(torn)';

export type Answer =
  /** Without revision: the program does not say it. */
  | {readonly kind: 'written'; readonly revision?: number | undefined}
  | {readonly kind: 'got'; readonly entry: Version | undefined}
  | {readonly kind: 'listed'; readonly revision: number; readonly entries: readonly Version[]}
  /** The precondition did not hold, or there was nothing to delete: nothing was kept. */
  | {readonly kind: 'conflict'}
  /** Not done, says the program: nothing was kept. `code`: disk-full, … */
  | {readonly kind: 'refused'; readonly code: string};

export type Call = {
  readonly client: string;
  readonly request: Request;
  readonly called: number;
  /** Undefined: whether it was done is unknown. Then it was done before `over`, or never. */
  answer: Answer | undefined;
  answered: number;
  /** When the process was gone that may have done it; Infinity while it is there. */
  over: number;
};

/** A change that a watch delivered. `id` undefined: the key was deleted. `previous`: its revision before, 0: absent; undefined: not said. */
export type Seen = {
  readonly revision: number;
  readonly key: string;
  readonly id: string | undefined;
  readonly previous?: number | undefined;
};

/** `at`: when. */
export type Delivery = {readonly at: number} & (
  | {readonly kind: 'events'; readonly events: readonly Seen[]}
  | {readonly kind: 'bookmark'; readonly revision: number}
);

export type Watch = {
  readonly client: string;
  readonly prefix: string;
  /** It delivers what came after this revision. */
  readonly from: number;
  /** Whether `from` is where an earlier watch of the client was, by its last event or bookmark. */
  readonly resumes: boolean;
  readonly deliveries: Delivery[];
  /**
   * `cut`: with the process, or by the client. `caught-up`: the client saw that nothing was left of what had been written
   * up to `through`. `compacted`: the program says that changes after `from` are gone.
   */
  end: 'cut' | 'caught-up' | 'compacted';
  /** Of `caught-up`: the revision that it must have delivered everything up to. */
  through: number;
};

/** All of a prefix, read when a process had just been started, before anything was written. */
export type Audit = {
  readonly round: number;
  readonly prefix: string;
  readonly revision: number;
  readonly entries: readonly Version[];
  /** The oldest revision that can be read. Undefined: not said. */
  readonly compacted?: number | undefined;
  /** When it was made. */
  readonly at: number;
};

export class KvRecord {
  readonly calls: Call[] = [];
  readonly watches: Watch[] = [];
  readonly audits: Audit[] = [];
  #now = 0;

  tick(): number {
    return ++this.#now;
  }

  call(client: string, request: Request): Call {
    const call: Call = {client, request, called: this.tick(), answer: undefined, answered: Infinity, over: Infinity};
    this.calls.push(call);
    return call;
  }

  answer(call: Call, answer: Answer): void {
    call.answer = answer;
    call.answered = this.tick();
  }

  watch(client: string, of: {prefix: string; from: number; resumes: boolean}): Watch {
    const watch: Watch = {client, ...of, deliveries: [], end: 'cut', through: 0};
    this.watches.push(watch);
    return watch;
  }

  events(watch: Watch, events: readonly Seen[]): void {
    watch.deliveries.push({kind: 'events', events, at: this.tick()});
  }

  bookmark(watch: Watch, revision: number): void {
    watch.deliveries.push({kind: 'bookmark', revision, at: this.tick()});
  }

  audit(audit: Omit<Audit, 'at'>): void {
    this.audits.push({...audit, at: this.tick()});
  }

  /**
   * Power was lost after the process was gone: of writes that were refused with such a code in its time, a failed sync may have
   * left all bytes to a disk that kept them.
   */
  powerLost(isDiskFailure: (code: string) => boolean): void {
    const since = this.audits.at(-1)?.at ?? 0;
    const now = this.tick();
    for (const call of this.calls) {
      if (call.called < since || call.answer?.kind !== 'refused' || !isDiskFailure(call.answer.code)) continue;
      Object.assign(call, {answer: undefined, answered: Infinity, over: now});
    }
  }

  /** The process is gone: what it has not done by now it will not do. */
  processGone(): void {
    const now = this.tick();
    for (const call of this.calls) if (call.answer === undefined && call.over === Infinity) call.over = now;
  }
}

/** The newest revision that a watch has seen: where its client resumes. */
export const positionOf = ({from, deliveries}: Watch): number =>
  deliveries.reduce(
    (newest, each) => Math.max(newest, each.kind === 'bookmark' ? each.revision : (each.events.at(-1)?.revision ?? 0)),
    from,
  );

export const stepsOf = ({request}: Call): readonly Step[] => (request.kind === 'write' ? request.steps : []);
export const eventsOf = ({deliveries}: Watch): Seen[] =>
  deliveries.flatMap(each => (each.kind === 'events' ? each.events : []));
