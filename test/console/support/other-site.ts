// SPDX-License-Identifier: Apache-2.0
/** A page of somebody else, which acts against the console in the browser of a user who is signed in. */
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';

export type OtherSite = {
  /** `http://127.0.0.1:PORT`: another origin, and the same site as the server's, so cookies of SameSite=Strict are sent. */
  readonly url: string;
  /** The same server by another name: another site. */
  readonly foreignUrl: string;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** Serves `html` on every path. */
export const startOtherSite = async (
  html: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<OtherSite> => {
  const server = createServer((_, response) => {
    response.writeHead(200, {'content-type': 'text/html; charset=utf-8', ...headers}).end(html);
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const {port} = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    foreignUrl: `http://localhost:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(done => server.close(done));
    },
  };
};
