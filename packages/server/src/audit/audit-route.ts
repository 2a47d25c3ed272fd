// SPDX-License-Identifier: Apache-2.0
/**
 * `GET /audit`: events of this server's audit log as lines of JSON, oldest first. The right to read it is a rule for the path.
 *
 *   user, verb, resource, namespace, name, decision, code   events with these values
 *   since, until                                            RFC 3339 times, or ages such as 1h
 *   limit                                                   the newest ones only
 *   follow=1                                                stays open, and sends what comes from now (or `since`) on; ends with a Status when the right is gone
 *   stages=all                                              also the stage RequestReceived
 */
import type {ServerResponse} from 'node:http';
import {
  badRequest,
  cutOff,
  type DocumentRoute,
  drained,
  type HttpResponse,
  isGone,
  type LostRight,
  type NonResourceExchange,
  type Timers,
  toStatus,
  unauthorized,
  unavailable,
} from '@palisade/apiserver';
import {answerText} from '../port/answer-text.ts';
import {parseAuditWords, unknownAuditWords} from './audit-parameters.ts';
import type {AuditQuery} from './audit-query.ts';
import {type Following, readAudit} from './read-audit.ts';

const AUDIT_PATH = '/audit';
const TEXT = {'content-type': 'text/plain; charset=utf-8'};
const LINES_TYPE = 'application/x-ndjson; charset=UTF-8';
/** An empty line now and then shows a reader that has gone. */
const HEARTBEAT_MS = 20_000;
const FLUSH_CHARS = 64 * 1024;

export type AuditRouteParts = {
  /** The file of the audit log; undefined: it is switched off, or goes to stdout. */
  readonly file: string | undefined;
  readonly timers: Pick<Timers, 'after'>;
  readonly clock: {now(): number};
};

type Reader = Pick<NonResourceExchange, 'response' | 'keepRight'>;

export class AuditRoute {
  readonly #parts: AuditRouteParts;
  readonly #streams = new AbortController();

  constructor(parts: AuditRouteParts) {
    this.#parts = parts;
  }

  readonly document: DocumentRoute = async ({info, method, query, response, keepRight, trail}) => {
    if (info.path !== AUDIT_PATH) return false;
    const {file, clock} = this.#parts;
    if (method !== 'GET') return refuse(response, 405, 'GET is the only method of this path');
    if (file === undefined)
      return refuse(response, 404, 'this server keeps no audit log in a file: see --audit-log-path');
    const words = Object.fromEntries([...query.names()].map(name => [name, query.get(name)]));
    const parsed = parseAuditWords(words, clock.now(), name => name);
    const unknown = unknownAuditWords(query.names()).map(name => `${name}: no such parameter`);
    const faults = [...unknown, ...parsed.faults];
    if (faults.length > 0) throw badRequest(faults.join('; '));
    const head = response as ServerResponse;
    head.writeHead(200, {'content-type': LINES_TYPE, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff'});
    head.flushHeaders();
    if (parsed.query.follow) trail?.started();
    await this.#send(file, parsed.query, {response, keepRight});
    return true;
  };

  /** Ends what follows, so that a drain need not wait for it. */
  endStreams(): void {
    this.#streams.abort();
  }

  async #send(file: string, query: AuditQuery, {response, keepRight}: Reader): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, this.#streams.signal]);
    const heartbeat = query.follow ? this.#beat(response) : undefined;
    let lost: LostRight | undefined;
    const kept = query.follow
      ? keepRight(why => {
          lost = why;
          gone.abort();
        })
      : undefined;
    const following: Following = {timers: this.#parts.timers, signal};
    let text = '';
    try {
      for await (const event of readAudit(file, query, following)) {
        text += `${JSON.stringify(event)}\n`;
        if (!query.follow && text.length < FLUSH_CHARS) continue;
        if (!(await written(response, text))) return;
        text = '';
      }
      if (lost !== undefined) text += `${JSON.stringify(statusOf(lost))}\n`;
      if (!isGone(response)) (response as ServerResponse).end(text);
    } catch {
      cutOff(response); // the head is out: a list that ends is a whole one
    } finally {
      heartbeat?.cancel();
      kept?.release();
    }
  }

  #beat(response: HttpResponse): {cancel(): void} {
    const beat = (): void => {
      if (isGone(response)) return;
      (response as ServerResponse).write('\n');
      pulse = this.#parts.timers.after(HEARTBEAT_MS, beat);
    };
    let pulse = this.#parts.timers.after(HEARTBEAT_MS, beat);
    return {cancel: () => pulse.cancel()};
  }
}

const UNVERIFIED = 'the stream was ended because its access could not be checked; try again';
const CREDENTIAL_GONE = 'the stream was ended because its credential is no longer valid';

/** Why the stream ends, as its last line. */
const statusOf = ({reason, error}: LostRight): object => {
  if (reason === 'unverified') return unavailable(UNVERIFIED).status;
  return reason === 'unauthenticated' ? unauthorized(CREDENTIAL_GONE).status : toStatus(error).status;
};

const refuse = (response: HttpResponse, code: number, text: string): true => {
  answerText(response, code, TEXT, `${text}\n`);
  return true;
};

/** Resolves when the reader can take more; false: it has gone. */
const written = async (response: HttpResponse, text: string): Promise<boolean> => {
  if (isGone(response)) return false;
  if (!(response as ServerResponse).write(text)) await drained(response);
  return !isGone(response);
};
