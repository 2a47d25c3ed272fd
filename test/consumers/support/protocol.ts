// SPDX-License-Identifier: Apache-2.0
/** What a test asks the program within a network, and what it answers: one JSON object a line. */

type Asks = {
  /** `ca`: file of the certificate that an https server is checked with. */
  readonly http: {
    readonly method: string;
    readonly url: string;
    readonly ca?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  /** One query to one server. */
  readonly resolve: {readonly server: string; readonly type: string; readonly name: string};
  /** A TCP connection, read to its end. */
  readonly connect: {readonly host: string; readonly port: number};
  /** A TCP server that says one text to each connection. */
  readonly listen: {readonly host: string; readonly port: number; readonly says: string};
  /** Ends such a server: connections to it are refused from then on. */
  readonly close: {readonly host: string; readonly port: number};
};

export type Answers = {
  readonly http: {readonly status: number; readonly text: string};
  /** The records, or a code such as ENOTFOUND (NXDOMAIN) and ENODATA. */
  readonly resolve: unknown;
  /** What the server said, or the code of the error. */
  readonly connect: string;
  readonly listen: null;
  /** When it was, in ms since 1970. */
  readonly close: number;
};

export type Ask = {[K in keyof Asks]: {readonly id: number; readonly does: K} & Asks[K]}[keyof Asks];
export type Answer = {readonly id: number; readonly value?: unknown; readonly error?: string};
