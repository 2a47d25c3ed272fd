// SPDX-License-Identifier: Apache-2.0
/**
 * What node:http takes and Go's server refuses, with its words: a second Host, by which a proxy before us and we may mean different
 * servers, and another major version. Ref: RFC 9112 section 3.2; Go, net/http/server.go, readRequest.
 */
import type {IncomingMessage, ServerResponse} from 'node:http';

const faultOf = ({httpVersionMajor, rawHeaders}: IncomingMessage): {code: number; text: string} | undefined => {
  if (httpVersionMajor !== 1) return {code: 505, text: 'HTTP Version Not Supported: unsupported protocol version'};
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  return hosts.length > 1 ? {code: 400, text: 'Bad Request: too many Host headers'} : undefined;
};

type Handler<R extends ServerResponse> = (request: IncomingMessage, response: R) => void;

/** The handler without those requests; their connections end with the answer. */
export const refuseAsGo =
  <R extends ServerResponse>(handler: Handler<R>): Handler<R> =>
  (request, response) => {
    const fault = faultOf(request);
    if (fault === undefined) return handler(request, response);
    const body = `${fault.code} ${fault.text}`;
    const headers = {'content-type': 'text/plain; charset=utf-8', 'content-length': body.length, connection: 'close'};
    response.writeHead(fault.code, fault.text, headers).end(body);
  };
