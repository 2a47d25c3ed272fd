// SPDX-License-Identifier: Apache-2.0
/** What `/` names is there, and what kube-apiserver names there of what this server has is named. */
import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {quiet, scratch, serve} from '../support/palisade.ts';

test('every path of / is answered; the health checks and /metrics are among them', async () => {
  using folder = scratch();
  await using server = await serve(quiet(folder.dir));
  const {http} = server.ready;
  const {paths} = (await (await fetch(`${http}/`)).json()) as {paths: string[]};
  expect(paths).toEqual(paths.toSorted());
  expect(paths).toEqual(
    expect.arrayContaining(['/healthz', '/healthz/log', '/livez/ping', '/livez/store', '/readyz/shutdown', '/metrics']),
  );
  expect(paths).not.toContain('/livez/shutdown');
  for (const path of paths) {
    const {status} = await fetch(`${http}${path}`);
    expect([path, status]).toEqual([path, path === '/backup' ? 405 : 200]); // only POST makes a backup
  }
  expect(await server.stop()).toBe(0);
});

/** Paths of the checks that the guide's table names: `name`, also `name` (readyz). */
const [, health = ''] = readFileSync('docs/guides/operate-the-server.md', 'utf8').split(/^## (?=Health$)/m);
const documented = [
  ...(health.split(/^## /m)[0] ?? '').matchAll(/^\| (`[\w-]+`(?:, also `[\w-]+`)?)( \(readyz\))? \|/gm),
].flatMap(([, names = '', readyOnly]) =>
  [...names.matchAll(/`([\w-]+)`/g)].flatMap(([, name]) =>
    (readyOnly === undefined ? ['healthz', 'livez', 'readyz'] : ['readyz']).map(endpoint => `/${endpoint}/${name}`),
  ),
);

test('every health check, by each of its names, is in the table of the guide', async () => {
  using folder = scratch();
  await using server = await serve(quiet(folder.dir));
  const {http} = server.ready;
  const {paths} = (await (await fetch(`${http}/`)).json()) as {paths: string[]};
  const checks = paths.filter(path => /^\/\w+z\/./.test(path));
  expect(checks.length).toBeGreaterThan(12);
  expect(documented.toSorted()).toEqual(checks);
});
