// SPDX-License-Identifier: Apache-2.0
/** Runs inside a network namespace and does there what the test asks on stdin. */
import {Resolver} from 'node:dns/promises';
import {readFileSync} from 'node:fs';
import {request as plainRequest} from 'node:http';
import {Agent, request as tlsRequest} from 'node:https';
import {createServer, connect as open, type Server} from 'node:net';
import {createInterface} from 'node:readline';
import type {Answers, Ask} from './protocol.ts';

const CONNECT_MS = 1_000;
const agents = new Map<string, Agent>();

const agentOf = (ca: string): Agent => {
  const agent = agents.get(ca) ?? new Agent({ca: readFileSync(ca), keepAlive: true});
  agents.set(ca, agent);
  return agent;
};

const http = ({method, url, ca, headers, body}: Extract<Ask, {does: 'http'}>): Promise<Answers['http']> =>
  new Promise((done, fail) => {
    const length = body === undefined ? {} : {'content-length': String(Buffer.byteLength(body))};
    const opts = {method, headers: {...headers, ...length}, ...(ca === undefined ? {} : {agent: agentOf(ca)})};
    const request = (url.startsWith('https:') ? tlsRequest : plainRequest)(url, opts, response => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => done({status: response.statusCode ?? 0, text}));
    });
    request.once('error', fail).end(body);
  });

const resolve = async ({server, type, name}: Extract<Ask, {does: 'resolve'}>): Promise<unknown> => {
  const resolver = new Resolver({timeout: 2_000, tries: 1});
  resolver.setServers([server]);
  return resolver.resolve(name, type as 'A').catch((error: {code: string}) => error.code);
};

const connect = ({host, port}: Extract<Ask, {does: 'connect'}>): Promise<string> =>
  new Promise(done => {
    let text = '';
    const socket = open({host, port, timeout: CONNECT_MS});
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.once('timeout', () => socket.destroy(Object.assign(new Error('no answer'), {code: 'ETIMEDOUT'})));
    socket.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    socket.once('end', () => done(text));
  });

const servers = new Map<string, Server>();

const listen = ({host, port, says}: Extract<Ask, {does: 'listen'}>): Promise<null> =>
  new Promise((done, fail) => {
    const server = createServer(socket => socket.on('error', () => undefined).end(says));
    servers.set(`${host} ${port}`, server);
    server.once('error', fail).listen(port, host, () => done(null));
  });

const close = ({host, port}: Extract<Ask, {does: 'close'}>): Promise<number> => {
  servers.get(`${host} ${port}`)?.close();
  return Promise.resolve(Date.now());
};

const answer = (ask: Ask): Promise<unknown> => {
  if (ask.does === 'http') return http(ask);
  if (ask.does === 'resolve') return resolve(ask);
  if (ask.does === 'connect') return connect(ask);
  return ask.does === 'listen' ? listen(ask) : close(ask);
};

const lines = createInterface({input: process.stdin});
lines.on('line', line => {
  const ask = JSON.parse(line) as Ask;
  const say = (rest: object): void => void process.stdout.write(`${JSON.stringify({id: ask.id, ...rest})}\n`);
  answer(ask).then(
    value => say({value}),
    (error: Error) => say({error: error.message}),
  );
});
lines.once('close', () => process.exit(0));
