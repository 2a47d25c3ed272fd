// SPDX-License-Identifier: Apache-2.0
/**
 * `POST /backup`: a backup of this server as a file. It has every secret of the server, so the right to it is a rule for the path
 * that no role but cluster-admin has.
 *
 *   records=true   also threat and traffic records
 *
 * The answer ends with the checksum of all bytes, and breaks off where something fails after its start.
 */
import type {ServerResponse} from 'node:http';
import {
  badRequest,
  cutOff,
  type DocumentRoute,
  drained,
  type HttpResponse,
  isGone,
  type NonResourceExchange,
  type Timers,
} from '@palisade/apiserver';
import {answerText} from '../port/answer-text.ts';
import type {Logger} from '../process/logger.ts';
import {systemTimers} from '../process/system.ts';
import {BackupBusyError, type Backups} from './backups.ts';

export const BACKUP_PATH = '/backup';
const TEXT = {'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff'};
const TYPE = 'application/zstd';
/** A client that reads nothing for so long is cut off: meanwhile nobody else gets a backup. */
const STALL_MS_MAX = 60_000;

const refuse = (response: HttpResponse, code: number, text: string): true => {
  answerText(response, code, TEXT, `${text}\n`);
  return true;
};

export class BackupRoute {
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  readonly #timers: Pick<Timers, 'after'>;
  readonly #ending = new AbortController();
  #backups: Backups | undefined;

  constructor(log: Pick<Logger, 'info' | 'warn'>, timers: Pick<Timers, 'after'> = systemTimers) {
    this.#log = log;
    this.#timers = timers;
  }

  /** From now on it can make backups. */
  serve(backups: Backups): void {
    this.#backups = backups;
  }

  readonly document: DocumentRoute = async ({info, method, query, response, keepRight}) => {
    if (info.path !== BACKUP_PATH) return false;
    if (method !== 'POST') return refuse(response, 405, 'POST is the only method of this path');
    const unknown = [...query.names()].filter(name => name !== 'records');
    const records = query.get('records') ?? 'false';
    const faults = unknown.map(name => `${name}: no such parameter`);
    if (!['true', 'false'].includes(records)) faults.push(`records: must be true or false, not ${records}`);
    if (faults.length > 0) throw badRequest(faults.join('; '));
    const backups = this.#backups;
    if (backups === undefined) return refuse(response, 503, 'the server is starting; try again');
    if (records === 'true' && !backups.hasRecords)
      return refuse(response, 400, 'this server has no records: it was started with --apis kubernetes');
    await this.#send(backups, records === 'true', {response, keepRight});
    return true;
  };

  /** Ends what is being sent, so that a drain need not wait for it. */
  endStreams(): void {
    this.#ending.abort(new Error('the server is stopping'));
  }

  async #send(
    backups: Backups,
    withRecords: boolean,
    {response, keepRight}: Pick<NonResourceExchange, 'response' | 'keepRight'>,
  ): Promise<void> {
    const gone = new AbortController();
    const onClose = (): void => gone.abort(new Error('the client closed the connection'));
    response.once('close', onClose);
    const kept = keepRight(({reason}) => gone.abort(new Error(`the right to it ended (${reason})`)));
    const chunks = backups.make(withRecords, AbortSignal.any([gone.signal, this.#ending.signal]));
    try {
      const first = await chunks.next(); // what fails now is still an answer
      const head = response as ServerResponse;
      head.writeHead(200, {'content-type': TYPE, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff'});
      if (first.done !== true) await this.#write(response, first.value, gone);
      for await (const chunk of chunks) await this.#write(response, chunk, gone);
      this.#log.info({records: withRecords}, 'backup sent');
      head.end();
    } catch (error) {
      if (error instanceof BackupBusyError) refuse(response, 409, error.message);
      else if (response.headersSent || isGone(response)) {
        this.#log.warn({err: error}, 'backup failed');
        cutOff(response); // so that it cannot be taken for whole
      } else throw error;
    } finally {
      response.off('close', onClose);
      kept?.release();
      await chunks.return(undefined);
    }
  }

  /** Resolves when the client can take more. */
  async #write(response: HttpResponse, chunk: Buffer, gone: AbortController): Promise<void> {
    gone.signal.throwIfAborted();
    if ((response as ServerResponse).write(chunk)) return;
    const stall = this.#timers.after(STALL_MS_MAX, () => {
      gone.abort(new Error(`the client read nothing for ${STALL_MS_MAX / 1000} s`));
      cutOff(response);
    });
    const ended = Promise.withResolvers<void>();
    const signal = AbortSignal.any([gone.signal, this.#ending.signal]);
    const onAbort = (): void => ended.resolve();
    signal.addEventListener('abort', onAbort);
    await Promise.race([drained(response), ended.promise]);
    signal.removeEventListener('abort', onAbort);
    stall.cancel();
    signal.throwIfAborted();
  }
}
