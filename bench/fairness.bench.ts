// SPDX-License-Identifier: Apache-2.0
/**
 * What seats cost a request when some are free: processor time of a GET of one small object, through the handler without a socket, with
 * seats and with each request exempt, and of the seats alone. Rounds alternate.
 *
 *   node bench/fairness.bench.ts [requests] [rounds]
 */
import {IncomingMessage, ServerResponse} from 'node:http';
import {Socket} from 'node:net';
import {createKubeApi, Fairness, systemClock, systemTimers, type UserInfo} from '@palisade/apiserver';
import {kubeModule} from '@palisade/kinds';
import {openMemoryStore} from '@palisade/store/memory';
import {median, printFigure} from './figures.ts';

const [REQUESTS = 20_000, ROUNDS = 7] = process.argv.slice(2).map(Number);
const PATH = '/api/v1/namespaces/default/endpoints/one';
const JANE: UserInfo = {name: 'jane', groups: ['dev', 'system:authenticated']};
const ADMIN: UserInfo = {name: 'root', groups: ['system:masters', 'system:authenticated']};

let user = ADMIN;
const api = createKubeApi({
  store: await openMemoryStore(),
  ...{kinds: kubeModule.kinds, bootstraps: kubeModule.bootstraps, compat: 'spec'},
  authenticator: {authenticate: () => ({outcome: 'user', user})},
  authorizer: {authorize: () => ({allowed: true})},
});
await api.start();

const ask = async (method: string, path: string, body?: string): Promise<number> => {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, {
    method,
    url: path,
    headers: {'content-type': 'application/json', accept: 'application/json'},
  });
  const response = new ServerResponse(request);
  if (body !== undefined) request.push(body);
  request.push(null);
  await api.handle(request, response);
  return response.statusCode;
};

if ((await ask('POST', '/api/v1/namespaces/default/endpoints', '{"metadata":{"name":"one"}}')) !== 201)
  throw new Error('the object was not created');

/** Microseconds of processor time for each. */
const cost = async (count: number, work: () => unknown): Promise<number> => {
  globalThis.gc?.();
  const before = process.cpuUsage();
  for (let i = 0; i < count; i++) await work();
  const {user: own, system} = process.cpuUsage(before);
  return (own + system) / count;
};

const fairness = new Fairness({clock: systemClock, timers: systemTimers});
const asked = {user: JANE, path: PATH, verb: 'get', heartbeats: false, from: '127.0.0.1'};
const whenGone = () => () => {};
const enterAndLeave = (): void => {
  const seats = fairness.enter(fairness.laneOf(asked), {width: 1, mutates: false}, whenGone);
  if (seats instanceof Promise) throw new Error('it waits');
  seats.release();
};

const figures = {seated: [] as number[], exempt: [] as number[], alone: [] as number[]};
for (let round = 0; round <= ROUNDS; round++) {
  user = JANE;
  const seated = await cost(REQUESTS, () => ask('GET', PATH));
  user = ADMIN;
  const exempt = await cost(REQUESTS, () => ask('GET', PATH));
  const loops = 100;
  const alone = (await cost(REQUESTS / 10, () => { for (let i = 0; i < loops; i++) enterAndLeave(); })) / loops; // biome-ignore format: one line
  if (round === 0) continue; // warms up
  figures.seated.push(seated);
  figures.exempt.push(exempt);
  figures.alone.push(alone);
}
printFigure({name: 'fairness: GET of a user with seats', unit: 'us cpu', value: median(figures.seated), n: REQUESTS});
printFigure({name: 'fairness: GET of an exempt user', unit: 'us cpu', value: median(figures.exempt), n: REQUESTS});
printFigure({name: 'fairness: seats taken and given back', unit: 'us cpu', value: median(figures.alone), n: REQUESTS});
await api.stop();
