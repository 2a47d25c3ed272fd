// SPDX-License-Identifier: Apache-2.0
/** JSON, lines and bytes over fetch, with the cookies of the page's own origin; every wait is bounded as over Node. */
import {
  type HttpByteStream,
  type HttpRequest,
  isTransportError,
  LINE_BYTES_MAX,
  REQUEST_TIMEOUT_MS,
  RESPONSE_BYTES_MAX,
  type Transport,
  TransportError,
} from './contract.ts';
import {LineTooLongError, readLines} from './lines.ts';
import {queryText} from './query.ts';

export type FetchTransportOptions = {
  /** Before the paths, without a trailing slash; '' for the origin of the page. */
  readonly server?: string | undefined;
  /** Further headers; asked for at each request, so that a new CSRF token is used. */
  readonly headers?: ((request: HttpRequest) => Readonly<Record<string, string>>) | undefined;
  /** Called with each answer's status, before its body is read; a session that ended shows as 401. */
  readonly onStatus?: ((status: number, request: HttpRequest) => void) | undefined;
  readonly timeoutMs?: number | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
};

type Exchange = {
  readonly response: Response;
  /** What a failure while reading the body means. */
  readonly failed: (cause: unknown) => TransportError;
  /** Starts the wait for the next sign of life, of `ms`; 0: without a bound. */
  readonly allowSilence: (ms: number) => void;
  readonly end: () => void;
};

/** Header of every request that changes something. Ref: the session of `/console/session`. */
export const CSRF_HEADER = 'x-csrf-token';
const SAFE_METHODS = new Set(['GET', 'HEAD']);
/** Whether a request needs the CSRF token. */
export const isUnsafe = ({method}: Pick<HttpRequest, 'method'>): boolean => !SAFE_METHODS.has(method);

export function createFetchTransport(options: FetchTransportOptions = {}): Transport {
  const timeoutMs = options.timeoutMs ?? REQUEST_TIMEOUT_MS;
  const exchange = (request: HttpRequest, silenceMs: number) => startExchange(request, silenceMs, options);
  const whole = async (request: HttpRequest) => {
    const started = await exchange(request, request.silenceMs ?? timeoutMs);
    return {...headOf(started), body: await readBody(started, request.silenceMs ?? timeoutMs)};
  };
  return {
    send: async request => {
      const {body, ...head} = await whole(request);
      return {...head, body: new TextDecoder().decode(body)};
    },
    sendForBytes: whole,
    open: async request => {
      const {silenceMs = 0, firstSilenceMs = silenceMs} = request;
      const started = await exchange(request, firstSilenceMs);
      return {...headOf(started), lines: streamLines(started, firstSilenceMs, silenceMs)};
    },
    openBytes: async (request): Promise<HttpByteStream> => {
      const silenceMs = request.silenceMs ?? timeoutMs;
      const started = await exchange(request, silenceMs);
      return {...headOf(started), bytes: chunksOf(started, silenceMs)};
    },
    close: () => {},
  };
}

async function startExchange(
  request: HttpRequest,
  silenceMs: number,
  options: FetchTransportOptions,
): Promise<Exchange> {
  const {server = '', fetch = globalThis.fetch} = options;
  const called = server === '' ? 'the server' : server;
  const control = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const allowSilence = (ms: number): void => {
    clearTimeout(timer);
    if (ms <= 0) return;
    const silence = new TransportError('timeout', `no answer from ${called} within ${ms / 1000} s`);
    timer = setTimeout(() => control.abort(silence), ms);
  };
  const cancel = (): void => control.abort(new TransportError('aborted', `the request to ${called} was cancelled`));
  const end = (): void => {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', cancel);
  };
  const failed = (cause: unknown, code: 'unreachable' | 'broken' = 'broken'): TransportError => {
    end();
    if (isTransportError(cause)) return cause;
    if (isTransportError(control.signal.reason)) return control.signal.reason;
    if (cause instanceof LineTooLongError) return new TransportError('too-large', cause.message, {cause});
    const text =
      code === 'broken' ? `${called} closed the connection in the middle of an answer` : `cannot reach ${called}`;
    return new TransportError(code, text, {cause});
  };
  request.signal?.addEventListener('abort', cancel, {once: true});
  if (request.signal?.aborted) cancel();
  allowSilence(silenceMs);
  try {
    const response = await fetch(`${server}${request.path}${queryText(request.query)}`, {
      method: request.method,
      headers: {
        accept: 'application/json',
        ...(request.body === undefined ? {} : {'content-type': 'application/json'}),
        ...options.headers?.(request),
        ...request.headers,
      },
      ...(request.body === undefined ? {} : {body: request.body}),
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      signal: control.signal,
    });
    options.onStatus?.(response.status, request);
    const endAll = (): void => {
      end();
      control.abort();
    };
    return {response, failed, allowSilence, end: endAll};
  } catch (cause) {
    throw failed(cause, 'unreachable');
  }
}

const headOf = ({response}: Exchange): {status: number; headers: Record<string, string>} => ({
  status: response.status,
  headers: Object.fromEntries(response.headers),
});

async function readBody(exchange: Exchange, silenceMs: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(exchange, silenceMs)) {
    size += chunk.length;
    if (size > RESPONSE_BYTES_MAX)
      throw new TransportError('too-large', `the answer is larger than ${RESPONSE_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Reads with a reader: not every browser iterates over a stream. Who stops reading ends the request. */
async function* chunksOf(exchange: Exchange, silenceMs: number): AsyncGenerator<Uint8Array> {
  const reader = exchange.response.body?.getReader();
  try {
    while (reader !== undefined) {
      const {done, value} = await reader.read();
      if (done) return;
      exchange.allowSilence(silenceMs);
      yield value;
    }
  } catch (cause) {
    throw exchange.failed(cause);
  } finally {
    exchange.end();
  }
}

/** `firstMs`: the longest silence until the first line; `silenceMs`: from then on. */
async function* streamLines(exchange: Exchange, firstMs: number, silenceMs: number): AsyncGenerator<string> {
  exchange.allowSilence(firstMs);
  try {
    yield* readLines(chunksOf(exchange, silenceMs), LINE_BYTES_MAX);
  } catch (cause) {
    throw exchange.failed(cause);
  }
}
