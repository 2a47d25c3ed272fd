// SPDX-License-Identifier: Apache-2.0
/** Takes the lines of one process into the record. */
import {AnswerCount} from '../../suite/answer-count.ts';
import type {Call, KvRecord, Seen, Watch} from '../../suite/kv/record.ts';
import {StartRefused} from '../../suite/subject.ts';
import type {EventLine, Line} from './lines.ts';

type LineOf<N extends Line[0]> = Extract<Line, readonly [N, ...unknown[]]>;
type Takers = {readonly [N in Line[0]]: (line: LineOf<N>) => void};

const toSeen = ([revision, key, id, previous]: EventLine): Seen => ({revision, key, id: id ?? undefined, previous});

export class LineReader {
  /** Rejects with StartRefused. */
  readonly ready: Promise<void>;
  readonly answers = new AnswerCount();
  readonly #calls = new Map<number, Call>();
  readonly #watches = new Map<string, Watch>();
  readonly #take: Takers;
  #isReady: () => void = () => undefined;

  constructor(record: KvRecord, round: number) {
    let refuse: (error: StartRefused) => void = () => undefined;
    this.ready = new Promise((resolve, reject) => {
      this.#isReady = resolve;
      refuse = reject;
    });
    this.ready.catch(() => undefined);
    this.#take = {
      refused: ([, code, message]) => refuse(new StartRefused(code, message)),
      audit: ([, revision, compacted, entries]) => {
        const versions = entries.map(([key, id, at]) => ({key, id, revision: at}));
        record.audit({round, prefix: '', revision, compacted, entries: versions});
      },
      ready: () => this.#isReady(),
      call: ([, number, client, request]) => this.#calls.set(number, record.call(client, request)),
      answer: ([, number, answer]) => {
        const call = this.#calls.get(number);
        if (call !== undefined) record.answer(call, answer);
        this.#calls.delete(number);
        this.answers.add();
      },
      watch: ([, client, prefix, from, resumes]) =>
        this.#watches.set(client, record.watch(client, {prefix, from, resumes})),
      events: ([, client, events]) => record.events(this.#watchOf(client), events.map(toSeen)),
      'caught-up': ([, client, through]) => Object.assign(this.#watchOf(client), {end: 'caught-up', through}),
      ended: ([, client, code]) => Object.assign(this.#watchOf(client), code === 'compacted' ? {end: code} : {}),
    };
  }

  /** All lines to the last; the end of the process in the middle of a line takes that line. */
  async read(lines: AsyncIterable<string>): Promise<void> {
    for await (const text of lines) if (text.endsWith(']')) this.#note(JSON.parse(text) as Line);
  }

  over(): void {
    this.#isReady();
    this.answers.over();
  }

  #note(line: Line): void {
    const take = this.#take[line[0]] as (line: Line) => void; // the taker of this name
    take(line);
  }

  #watchOf(client: string): Watch {
    const watch = this.#watches.get(client);
    if (watch === undefined) throw new Error(`no watch of ${client}`);
    return watch;
  }
}
