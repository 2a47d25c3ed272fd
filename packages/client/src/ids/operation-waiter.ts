// SPDX-License-Identifier: Apache-2.0
/** Waits for a long-running operation by polling, bounded in time, ended early by a signal. */
import {isTransportError} from '../http/contract.ts';
import {type Backoff, backoffMs, type Clock} from '../sleep.ts';
import type {IdsClient} from './ids-client.ts';
import {fromRpcStatus, isIdsError} from './ids-error.ts';
import type {Operation} from './objects.ts';

/** First poll after 100 ms, later ones up to 2 s apart. */
export const OPERATION_BACKOFF: Backoff = {firstMs: 100, factor: 1.4, maxMs: 2_000};

/** The wait ended before the operation did; it goes on at the server. */
export class OperationUnfinishedError extends Error {
  override readonly name = 'OperationUnfinishedError';
  readonly why: 'timeout' | 'aborted';
  /** As seen last. */
  readonly operation: Operation;
  constructor(why: 'timeout' | 'aborted', operation: Operation, message: string, options?: ErrorOptions) {
    super(message, options);
    this.why = why;
    this.operation = operation;
  }
}

export type WaitOptions = {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly backoff?: Backoff | undefined;
  /** Called when the operation's statusMessage changes. */
  readonly onProgress?: ((statusMessage: string) => void) | undefined;
};

/**
 * The finished operation. Throws the operation's own error as IdsError, OperationUnfinishedError after `timeoutMs` or an abort.
 * A server that cannot be reached for a while is asked again until the time is over.
 */
export async function waitForOperation(
  client: Pick<IdsClient, 'getOperation'>,
  started: Operation,
  options: WaitOptions,
): Promise<Operation> {
  const deadline = options.clock.now() + options.timeoutMs;
  let operation = started;
  let progress = '';
  for (let attempt = 0; ; attempt += 1) {
    if (operation.done === true) {
      if (operation.error !== undefined) throw fromRpcStatus(operation.error);
      return operation;
    }
    const message = operation.metadata?.statusMessage ?? '';
    if (message !== progress) {
      progress = message;
      options.onProgress?.(message);
    }
    await pause(operation, attempt, deadline, options);
    operation = (await poll(client, operation.name, options)) ?? operation;
  }
}

async function pause(operation: Operation, attempt: number, deadline: number, options: WaitOptions): Promise<void> {
  const left = deadline - options.clock.now();
  const state = operation.metadata?.statusMessage;
  const tail = state === undefined || state === '' ? '' : ` (${state})`;
  if (left <= 0) {
    const seconds = Math.round(options.timeoutMs / 1000);
    throw new OperationUnfinishedError(
      'timeout',
      operation,
      `${operation.name} did not finish within ${seconds} s${tail}`,
    );
  }
  try {
    await options.clock.sleep(Math.min(left, backoffMs(options.backoff ?? OPERATION_BACKOFF, attempt)), options.signal);
  } catch (cause) {
    throw new OperationUnfinishedError('aborted', operation, `the wait for ${operation.name} was cancelled${tail}`, {
      cause,
    });
  }
}

/** Undefined: ask again later. */
async function poll(
  client: Pick<IdsClient, 'getOperation'>,
  name: string,
  options: WaitOptions,
): Promise<Operation | undefined> {
  try {
    return await client.getOperation(name, {signal: options.signal});
  } catch (error) {
    if (isTransient(error) || options.signal.aborted) return undefined;
    throw error;
  }
}

/** Failures that may go away by themselves: nobody answered, or the server says to come back. */
export function isTransient(error: unknown): boolean {
  if (isTransportError(error))
    return error.code === 'unreachable' || error.code === 'timeout' || error.code === 'broken';
  return isIdsError(error, 'UNAVAILABLE') || isIdsError(error, 'RESOURCE_EXHAUSTED');
}
