// SPDX-License-Identifier: Apache-2.0
import type {Socket} from 'node:net';
import type {WholeRequest} from '@palisade/apiserver';
import type {RequestHead} from './request-head.ts';

export class Http1Request implements WholeRequest {
  readonly httpVersionMajor = 1;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly socket: Socket;
  readonly whole: Buffer;

  constructor({method, url, headers}: RequestHead, socket: Socket, whole: Buffer) {
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.socket = socket;
    this.whole = whole;
  }

  /** With names in lower case. */
  get rawHeaders(): readonly string[] {
    return Object.entries(this.headers).flat();
  }
}
