// SPDX-License-Identifier: Apache-2.0
/** What `/` names is there, and what kube-apiserver names there of what this server has is named. */
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
  for (const path of paths) expect([path, (await fetch(`${http}${path}`)).status]).toEqual([path, 200]);
  expect(await server.stop()).toBe(0);
});
