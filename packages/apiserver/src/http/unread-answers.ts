// SPDX-License-Identifier: Apache-2.0
/**
 * Answers that are made and wait for their clients to read them: their bytes are bounded, per user and in total, and an answer of
 * which a client takes nothing for too long is ended. The same holds for the body of a request while it comes. Watches have bounds
 * of their own.
 */
import type {Limits} from '../base/limits.ts';
import type {Log} from '../base/log.ts';
import {tooManyRequests} from '../base/status-error.ts';
import type {Timer, Timers} from '../base/time.ts';
import {cutOff, type HttpResponse, isGone} from './exchange.ts';

/** The user that gets an answer, and its path. */
export type Reader = {readonly user: string; readonly path: string};

type Held = {
  readonly reader: Reader;
  bytes: number;
  /** The body of the request is still to come. */
  isReading: boolean;
  /** Looks in a row at which bytes waited and none was taken. */
  looks: number;
};

/** What the server keeps for an answer besides its bytes: the request, the stream, their buffers. */
const ANSWER_BYTES = 16 * 1024;
/** Looks within `unreadMsMax`. */
const LOOKS = 12;
/** Refusals may use so much more than other answers; beyond it they have no body over HTTP/2. */
const REFUSALS_SHARE = 1.25;
const MIB = 1024 * 1024;

/** Seconds until a client that found no room may try again. */
const RETRY_AFTER_S = 1;

export type UnreadLimits = Pick<Limits, 'unreadBytesMax' | 'unreadBytesPerUserMax' | 'unreadMsMax'>;

/** Also the end of an answer waits over HTTP/2. */
const waitsForClient = (response: HttpResponse, {isReading}: Held): boolean =>
  isReading || response.writableLength > 0 || ('stream' in response && response.writableEnded);

export class UnreadAnswers {
  readonly #limits: UnreadLimits;
  readonly #timers: Pick<Timers, 'after'>;
  readonly #log: Pick<Log, 'warn'>;
  readonly #held = new Map<HttpResponse, Held>();
  readonly #bytesOf = new Map<string, number>();
  readonly #onClose: (this: HttpResponse) => void;
  #bytes = 0;
  #ended = 0;
  #timer: Timer | undefined;

  constructor(parts: {
    readonly limits: UnreadLimits;
    readonly timers: Pick<Timers, 'after'>;
    readonly log: Pick<Log, 'warn'>;
  }) {
    this.#limits = parts.limits;
    this.#timers = parts.timers;
    this.#log = parts.log;
    const release = (response: HttpResponse): void => this.#release(response);
    // One function for all: Node keeps each stream, and its listeners, until the next full collection.
    this.#onClose = function onClose(this: HttpResponse) {
      release(this);
    };
  }

  /** Bytes that wait now, of all users. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Answers that were ended because nobody read them. */
  get ended(): number {
    return this.#ended;
  }

  /** Why an answer of so many bytes is not begun now; undefined: there is room. `isRefusal`: it says why another one was not. */
  fault(user: string, bytes: number, isRefusal = false): string | undefined {
    const share = isRefusal ? REFUSALS_SHARE : 1;
    const {unreadBytesMax, unreadBytesPerUserMax} = this.#limits;
    const more = bytes + ANSWER_BYTES;
    if ((this.#bytesOf.get(user) ?? 0) + more > unreadBytesPerUserMax * share)
      return `too many unread answers of user ${JSON.stringify(user)}: limit is ${unreadBytesPerUserMax / MIB} MiB; read or close them, then try again`;
    if (this.#bytes + more > unreadBytesMax * share)
      return `too many unread answers of all users: limit is ${unreadBytesMax / MIB} MiB; try again`;
    return undefined;
  }

  /** Counts the bytes of an answer until it closes; of one that is counted already, as many if that is more. */
  hold(response: HttpResponse, reader: Reader, bytes: number): void {
    const held = this.#held.get(response);
    if (held !== undefined) this.#grow(held, Math.max(0, bytes + ANSWER_BYTES - held.bytes));
    if (held !== undefined || isGone(response)) return;
    const added = {reader, bytes: 0, isReading: false, looks: 0};
    this.#held.set(response, added);
    this.#grow(added, bytes + ANSWER_BYTES);
    response.on('close', this.#onClose);
    this.#timer ??= this.#lookLater();
  }

  /** `hold` for an answer that was sent whole, if any of it waits: most are with the system at once. */
  holdUnsent(response: HttpResponse, reader: Reader, bytes: number): void {
    if (response.writableLength > 0) this.hold(response, reader, bytes);
  }

  /** So many bytes of the request's body have come; more do. */
  holdBody(response: HttpResponse, reader: Reader, bytes: number): void {
    this.hold(response, reader, bytes);
    const held = this.#held.get(response);
    if (held !== undefined) Object.assign(held, {isReading: true, looks: 0});
  }

  /** The request's body is whole, or nobody reads on. */
  releaseBody(response: HttpResponse): void {
    const held = this.#held.get(response);
    if (held === undefined) return;
    held.isReading = false;
    this.#grow(held, -held.bytes);
  }

  /** The client has taken something of the answer. */
  progressed(response: HttpResponse): void {
    const held = this.#held.get(response);
    if (held !== undefined) held.looks = 0;
  }

  accountOf(response: HttpResponse, path: string, user: string): AnswerAccount {
    return new AnswerAccount(this, response, path, user);
  }

  #grow(held: Held, bytes: number): void {
    const {user} = held.reader;
    const ofUser = (this.#bytesOf.get(user) ?? 0) + bytes;
    held.bytes += bytes;
    this.#bytes += bytes;
    if (ofUser > 0) this.#bytesOf.set(user, ofUser);
    else this.#bytesOf.delete(user);
  }

  #release(response: HttpResponse): void {
    const held = this.#held.get(response);
    if (held === undefined) return;
    this.#held.delete(response);
    this.#grow(held, -held.bytes);
  }

  #lookLater(): Timer {
    return this.#timers.after(this.#limits.unreadMsMax / LOOKS, () => this.#look());
  }

  /** An answer that waits for the server itself is not its client's fault. */
  #look(): void {
    const stalled: Reader[] = [];
    for (const [response, held] of this.#held) {
      held.looks = waitsForClient(response, held) ? held.looks + 1 : 0;
      if (held.looks <= LOOKS) continue;
      stalled.push(held.reader);
      cutOff(response);
    }
    this.#timer = this.#held.size > 0 ? this.#lookLater() : undefined;
    const [first] = stalled;
    if (first === undefined) return;
    this.#ended += stalled.length;
    const idleSeconds = this.#limits.unreadMsMax / 1000;
    this.#log.warn(
      {requests: stalled.length, user: first.user, path: first.path, idleSeconds},
      'requests ended, clients neither read nor sent data',
    );
  }
}

/** The part of one answer. */
export class AnswerAccount {
  readonly #unread: UnreadAnswers;
  readonly #response: HttpResponse;
  readonly #path: string;
  /** Bytes of the body that were handed over to be sent. */
  sentBytes = 0;
  #user: string;

  constructor(unread: UnreadAnswers, response: HttpResponse, path: string, user: string) {
    this.#unread = unread;
    this.#response = response;
    this.#path = path;
    this.#user = user;
  }

  /** The user is known from now on. */
  belongsTo(user: string): void {
    this.#user = user;
  }

  /** See UnreadAnswers. */
  fault(bytes: number, isRefusal = false): string | undefined {
    return this.#unread.fault(this.#user, bytes, isRefusal);
  }

  /** Throws StatusError 429. */
  demandRoom(bytes: number): void {
    const fault = this.fault(bytes);
    if (fault !== undefined) throw tooManyRequests(fault, RETRY_AFTER_S);
  }

  /** `demandRoom`, and the bytes count from now on. */
  take(bytes: number): void {
    this.demandRoom(bytes);
    this.hold(bytes);
  }

  hold(bytes: number): void {
    this.#unread.hold(this.#response, this.#reader, bytes);
  }

  holdUnsent(bytes: number): void {
    this.#unread.holdUnsent(this.#response, this.#reader, bytes);
  }

  progressed(): void {
    this.#unread.progressed(this.#response);
  }

  holdBody(bytes: number): void {
    this.#unread.holdBody(this.#response, this.#reader, bytes);
  }

  releaseBody(): void {
    this.#unread.releaseBody(this.#response);
  }

  get #reader(): Reader {
    return {user: this.#user, path: this.#path};
  }
}
