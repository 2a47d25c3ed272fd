// SPDX-License-Identifier: Apache-2.0
/** What a transport of JSON, lines and bytes promises, over whatever carries it. Nothing here needs Node. */

/** Where a server is and how to prove who we are. PEM texts, not paths. */
export type Connection = {
  /** `http(s)://HOST:PORT[/prefix]`, without a trailing slash. */
  readonly server: string;
  readonly tls?:
    | {
        readonly ca?: string | undefined;
        readonly cert?: string | undefined;
        readonly key?: string | undefined;
        readonly serverName?: string | undefined;
        /** Accept any certificate of the server. */
        readonly insecure?: boolean | undefined;
      }
    | undefined;
  /** Value of the Authorization header. Asked for on every request, so that a rotated token is used. */
  readonly authorization?: (() => string | undefined) | undefined;
  /** Further headers of every request (impersonation); of a list, each value is a header of its own. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
};

export type HttpRequest = {
  readonly method: string;
  /** Below the server's address, with a leading slash; already percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /** Longest silence of the server in milliseconds, then TransportError `timeout`. Default: that of the transport; of `open` none. */
  readonly silenceMs?: number | undefined;
  /** Of `open`: the same until the first line. Default: silenceMs. */
  readonly firstSilenceMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};
export type HttpResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
export type HttpStream = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Lines of the body without their ends. Ends when the server ends; throws TransportError when the connection breaks. */
  readonly lines: AsyncIterable<string>;
};

/** As HttpStream, in the pieces that arrive. */
export type HttpByteStream = Omit<HttpStream, 'lines'> & {readonly bytes: AsyncIterable<Uint8Array>};

export type TransportErrorCode = 'unreachable' | 'timeout' | 'aborted' | 'too-large' | 'broken';

/** No answer, or half of one. `unreachable` and `timeout` may go away by themselves. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: TransportErrorCode;
  constructor(code: TransportErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
export const isTransportError = (error: unknown): error is TransportError => error instanceof TransportError;

export const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
export const LINE_BYTES_MAX = 16 * 1024 * 1024;
export const REQUEST_TIMEOUT_MS = 60_000;
export interface Transport {
  /** One exchange. Throws TransportError; any status is an answer. */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** The same, for an answer that is no text. */
  sendForBytes(request: HttpRequest): Promise<Omit<HttpResponse, 'body'> & {readonly body: Uint8Array}>;
  /** Opens a stream of lines; a status of 300 or above comes with its body as lines too. */
  open(request: HttpRequest): Promise<HttpStream>;
  /** Opens an answer that is no text and may be large. */
  openBytes(request: HttpRequest): Promise<HttpByteStream>;
  /** Closes idle connections. Running requests go on. */
  close(): void;
}
