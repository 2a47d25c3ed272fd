// SPDX-License-Identifier: Apache-2.0
/**
 * The first thousands of requests of a fresh process run interpreted and cost two to three times what later ones do. Before the
 * server says that it is ready it plays them itself: the same code, from the socket to the answer, over an API of its own in
 * memory behind a port of its own on loopback with a token of its own. Nothing of it touches the user's data or metrics.
 * Why and what it costs: docs/adr/0006-warm-up-and-memory.md.
 */
import {
  createKubeApi,
  HealthChecks,
  parseTokenFile,
  type Random,
  type Timers,
  tokenAuthenticator,
} from '@palisade/apiserver';
import {createRbacAuthorizer, kubeKinds} from '@palisade/endpoints';
import {openMemoryStore} from '@palisade/store/memory';
import {type Listener, listenPlain, listenTls} from '../listeners.ts';
import type {Logger} from '../logger.ts';
import {countAnswers} from '../metrics.ts';
import {collectGarbage, trimMalloc} from '../release-memory.ts';
import {route} from '../router.ts';
import {type Call, Connection, type Target} from './connection.ts';
import {ACTS, PREPARE, REHEARSAL, WATCH} from './rehearsal.ts';

export type WarmUpOptions = {
  /** Of the TLS port, when there is one: then the rehearsal goes over TLS. */
  readonly pem: {readonly cert: string; readonly key: string} | undefined;
  readonly random: Random;
  readonly timers: Timers;
  readonly log: Logger;
  /** Ends the rehearsal before its end: a stop, or a time limit. */
  readonly signal: AbortSignal;
};

/** Sockets let go of their buffers some turns after they are closed. */
const TURNS_TO_CLOSE = 20;

/**
 * Resolves when the rehearsal is over or cut short, with the number of calls that were answered; never rejects: a failed
 * rehearsal is logged and costs speed, not service.
 */
export const warmUp = async (options: WarmUpOptions): Promise<number> => {
  const tally = {played: 0};
  try {
    await rehearse(options, tally);
    for (let turn = 0; turn < TURNS_TO_CLOSE; turn++) await new Promise<void>(done => options.timers.soon(done));
    trimMalloc();
  } catch (error) {
    if (!options.signal.aborted) options.log.warn({err: error}, 'the warm-up failed; the first requests will be slow');
  }
  return tally.played;
};

type Tally = {played: number};

const rehearse = async ({pem, random, timers, log, signal}: WarmUpOptions, tally: Tally): Promise<void> => {
  signal.throwIfAborted();
  const token = random.uuid();
  const authorizer = createRbacAuthorizer();
  const store = await openMemoryStore();
  const kube = createKubeApi({
    store,
    kinds: kubeKinds,
    compat: 'spec',
    authenticator: tokenAuthenticator(parseTokenFile(`${token},rehearsal,rehearsal,"system:masters"`)),
    authorizer,
    controllers: [authorizer.controller],
  });
  let listener: Listener | undefined;
  const connections: Connection[] = [];
  // An answer that does not come must not hold up the start: its call ends with the connection.
  const cut = (): void => {
    for (const connection of connections) void connection.close();
  };
  signal.addEventListener('abort', cut, {once: true});
  try {
    await kube.start();
    const sides = {ids: undefined, grpc: undefined, metrics: undefined, health: new HealthChecks([])};
    const handler = countAnswers(() => {}, route({...sides, kubernetes: (q, s) => kube.handle(q, s)}));
    const at = {host: '127.0.0.1', port: 0};
    const port = {timers, log};
    listener = await (pem === undefined
      ? listenPlain(at, 'warm-up', handler, port)
      : listenTls(at, 'warm-up', pem, handler, port));
    const target: Target = {port: listener.address.port, tls: pem !== undefined, token};
    const cast = await Promise.all(Array.from({length: REHEARSAL.connections}, () => Connection.open(target)));
    connections.push(...cast);
    const watches = await Promise.all(Array.from({length: REHEARSAL.watches}, () => Connection.open(target)));
    connections.push(...watches);
    const stage = {connections: cast, signal, tally};
    await play(PREPARE, stage);
    for (const watch of watches) watch.stream(WATCH);
    for (const {calls, collect} of ACTS) {
      await play(calls(), stage);
      if (collect === true) collectGarbage();
    }
  } finally {
    signal.removeEventListener('abort', cut);
    await Promise.all(connections.map(connection => connection.close()));
    listener?.force();
    await listener?.close();
    await kube.stop();
    await store.close();
  }
};

type Stage = {readonly connections: readonly Connection[]; readonly signal: AbortSignal; readonly tally: Tally};

/** Every connection takes the next call when its last is answered. */
const play = async (calls: readonly Call[], {connections, signal, tally}: Stage): Promise<void> => {
  const left = calls.values();
  const run = async (connection: Connection): Promise<void> => {
    for (const call of left) {
      signal.throwIfAborted();
      const code = await connection.request(call);
      if (code >= 300) throw new Error(`${call.method} ${call.path} was answered with ${code}`);
      tally.played++;
    }
  };
  await Promise.all(connections.map(run));
};
