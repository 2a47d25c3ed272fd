// SPDX-License-Identifier: Apache-2.0
/** `--event-ttl` of the whole process, on its own clock and timers. Ref: issue 45, point 1. */
import {createInterface} from 'node:readline';
import {Readable} from 'node:stream';
import {expect, test} from 'vitest';
import {type RunningServer, scratch, serve} from '../support/palisade.ts';

const EVENTS = '/api/v1/namespaces/default/events';
const TTL_MS = 6_000;
/** Of the half life before the crash, what is surely noted. */
const NOTED_MS = 500;

const start = (dir: string): Promise<RunningServer> =>
  serve(['--data', dir, '--http', '127.0.0.1:0', '--auth', 'none', '--event-ttl', `${TTL_MS / 1_000}s`]);

/** Returns the version of the new event. */
const post = async ({ready}: RunningServer, name: string): Promise<string> => {
  const involvedObject = {kind: 'Pod', namespace: 'default', name: 'p'};
  const body = JSON.stringify({metadata: {name}, involvedObject});
  const headers = {'content-type': 'application/json'};
  const made = await (await fetch(ready.http + EVENTS, {method: 'POST', headers, body})).json();
  return (made as {metadata: {resourceVersion: string}}).metadata.resourceVersion;
};

type Seen = {readonly what: string; readonly atMs: number};

/** The next events of a watch through the other group, as `TYPE name`, and when they came. */
const eventsAfter = async ({ready}: RunningServer, version: string, count: number): Promise<readonly Seen[]> => {
  const {body} = await fetch(`${ready.http}/apis/events.k8s.io/v1/events?watch=1&resourceVersion=${version}`);
  const seen: Seen[] = [];
  for await (const line of createInterface({input: Readable.fromWeb(body as never)})) {
    const {type, object} = JSON.parse(line);
    seen.push({what: `${type} ${object.metadata.name}`, atMs: Date.now()});
    if (seen.length === count) break;
  }
  return seen;
};

test('45-1 an event goes by itself after its time, which goes on over a crash', async () => {
  using folder = scratch();
  const first = await start(folder.dir);
  const postedMs = {a: Date.now(), b: 0};
  const version = await post(first, 'a');
  await expect.poll(() => Date.now() - postedMs.a, {timeout: TTL_MS}).toBeGreaterThan(TTL_MS / 2);
  const killedMs = Date.now();
  await first.stop('SIGKILL');
  await using second = await start(folder.dir);
  postedMs.b = Date.now();
  await post(second, 'b');
  const seen = await eventsAfter(second, version, 3);
  const [a, b] = seen.filter(({what}) => what.startsWith('DELETED')) as [Seen, Seen];
  expect([a.what, b.what]).toEqual(['DELETED a', 'DELETED b']);
  expect(a.atMs - postedMs.a).toBeGreaterThanOrEqual(TTL_MS);
  expect(b.atMs - postedMs.b).toBeGreaterThanOrEqual(TTL_MS);
  // else its time would have begun again with the start; a slow start may have removed it before anybody watched
  expect(b.atMs - a.atMs).toBeGreaterThan(Math.min(postedMs.b - killedMs + NOTED_MS, TTL_MS * 0.75));
}, 60_000);
