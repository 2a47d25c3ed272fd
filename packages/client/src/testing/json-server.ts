// SPDX-License-Identifier: Apache-2.0
/** A loopback HTTP server for tests: one handler, every request recorded. */
import http from 'node:http';

export type RecordedRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
};
export type JsonAnswer = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Sent line by line instead of `body`; the connection then stays open until `end`. */
  readonly lines?: readonly string[] | undefined;
  readonly end?: 'close' | 'break' | 'open' | undefined;
};
export type JsonServer = AsyncDisposable & {readonly url: string; readonly requests: readonly RecordedRequest[]};

export async function startJsonServer(handle: (request: RecordedRequest) => JsonAnswer): Promise<JsonServer> {
  const requests: RecordedRequest[] = [];
  const server = http.createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const url = new URL(message.url ?? '/', 'http://localhost');
      const request: RecordedRequest = {
        method: message.method ?? '',
        path: decodeURIComponent(url.pathname),
        query: url.searchParams,
        headers: message.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      requests.push(request);
      write(response, handle(request));
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const {port} = server.address() as {port: number};
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

function write(response: http.ServerResponse, answer: JsonAnswer): void {
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    ...answer.headers,
  } as http.OutgoingHttpHeaders);
  if (answer.lines === undefined) {
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
    return;
  }
  response.flushHeaders();
  for (const line of answer.lines) response.write(`${line}\n`);
  if (answer.end === 'break') response.write('{"cut', () => response.destroy());
  else if (answer.end !== 'open') response.end();
}
