// SPDX-License-Identifier: Apache-2.0
/**
 * A client that watches Endpoints as informers do: it resumes from its last event or bookmark whenever its watch is cut, and
 * lists again when the server says that it is too late.
 */
import type {IncomingMessage} from 'node:http';
import {setTimeout} from 'node:timers/promises';
import {type KvRecord, positionOf, type Watch} from '../suite/kv/record.ts';
import {type EndpointsApi, PATH, versionOf, type WireObject} from './endpoints-api.ts';
import type {Connections} from './http.ts';

export type WatcherKind = {
  readonly client: string;
  /** Milliseconds for each event. */
  readonly eventMs: number;
  /** After so many seconds the server ends the watch, with a bookmark before. */
  readonly timeoutSeconds: number;
};
type WatchEvent = {readonly type: string; readonly object: WireObject & {readonly code?: number}};

const GONE = 410;
const AFTER_FAILURE_MS = 20;

export class Watcher {
  readonly #kind: WatcherKind;
  readonly #record: KvRecord;
  #watch: Watch | undefined;
  #through = Infinity;
  #caughtUp: () => void = () => undefined;
  #stream: IncomingMessage | undefined;

  constructor(kind: WatcherKind, record: KvRecord) {
    this.#kind = kind;
    this.#record = record;
  }

  /** Watches until the process is gone. `from`: where it begins when it was nowhere yet. */
  async run(connections: Connections, api: EndpointsApi, of: {from: number; isOver: () => boolean}): Promise<void> {
    let position = this.#watch === undefined ? of.from : positionOf(this.#watch);
    while (!of.isOver()) {
      const query = `watch=1&allowWatchBookmarks=1&resourceVersion=${position}&timeoutSeconds=${this.#kind.timeoutSeconds}`;
      const answer = await connections.open(`${PATH}?${query}`);
      if (answer === undefined || (answer.statusCode !== 200 && answer.statusCode !== GONE)) {
        answer?.resume();
        await setTimeout(AFTER_FAILURE_MS);
        continue;
      }
      const resumes = this.#watch !== undefined;
      const watch = this.#record.watch(this.#kind.client, {prefix: '', from: position, resumes});
      this.#watch = watch;
      if (answer.statusCode === GONE) {
        answer.resume();
        watch.end = 'compacted';
      } else await this.#read(answer, watch);
      position = watch.end === 'compacted' ? await this.#listAgain(api, position) : positionOf(watch);
    }
  }

  /** Resolves when everything up to the revision was delivered. */
  async catchUp(revision: number): Promise<void> {
    const done = new Promise<void>(resolve => (this.#caughtUp = resolve));
    this.#through = revision;
    this.#look();
    await done;
  }

  stop(): void {
    this.#stream?.destroy();
  }

  async #listAgain(api: EndpointsApi, position: number): Promise<number> {
    const {answer} = await api.list(this.#kind.client);
    if (answer?.kind !== 'listed') return position;
    this.#watch = undefined;
    return answer.revision;
  }

  async #read(answer: IncomingMessage, watch: Watch): Promise<void> {
    this.#stream = answer;
    this.#look();
    const {eventMs} = this.#kind;
    for await (const line of linesOf(answer)) {
      const event = JSON.parse(line) as WatchEvent;
      if (event.type === 'ERROR') {
        if (event.object.code === GONE) watch.end = 'compacted';
        continue;
      }
      this.#note(event, watch);
      this.#look();
      if (eventMs > 0 && this.#through === Infinity) await setTimeout(eventMs);
    }
  }

  #note({type, object}: WatchEvent, watch: Watch): void {
    const {key, id, revision} = versionOf(object);
    if (type === 'BOOKMARK') this.#record.bookmark(watch, revision);
    else this.#record.events(watch, [{key, id: type === 'DELETED' ? undefined : id, revision}]);
  }

  #look(): void {
    if (this.#watch === undefined || positionOf(this.#watch) < this.#through) return;
    Object.assign(this.#watch, {end: 'caught-up', through: this.#through});
    this.#caughtUp();
  }
}

/** Whole lines, until the stream ends or breaks: of a line that was cut nothing has been delivered. */
async function* linesOf(stream: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of stream.setEncoding('utf8')) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    if (!['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
  }
}
