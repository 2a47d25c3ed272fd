// SPDX-License-Identifier: Apache-2.0
/** What /healthz, /livez and /readyz of a running server say when a part of it is lost. */
import {describe, expect, test} from 'vitest';
import {quiet, scratch, serve} from '../support/palisade.ts';

/** Loaded into the server: SIGUSR2 ends every thread of it, as when one of them crashes. */
const LOSE_THREADS = `--import=data:text/javascript,${encodeURIComponent(
  "const threads = []; process.on('worker', worker => threads.push(worker)); process.on('SIGUSR2', () => threads.forEach(thread => thread.terminate()));",
)}`;

const get = async (url: string): Promise<[number, string]> => {
  const answer = await fetch(url);
  return [answer.status, await answer.text()];
};

describe.each(['kubernetes', 'ids'])('--apis %s', apis => {
  test('a lost store turns every health path red by name, is logged with the way out, and SIGTERM still ends the server', async () => {
    using folder = scratch();
    await using server = await serve([...quiet(folder.dir), '--apis', apis], {env: {NODE_OPTIONS: LOSE_THREADS}});
    const {http} = server.ready;
    for (const path of ['healthz', 'livez', 'readyz']) expect(await get(`${http}/${path}`)).toEqual([200, 'ok']);
    expect((await get(`${http}/readyz?verbose`))[1]).toContain('[+]store ok\n');
    server.child.kill('SIGUSR2');
    await expect.poll(() => server.stderr()).toContain('all writes are refused until a restart');
    for (const path of ['healthz', 'livez', 'readyz']) {
      const [code, text] = await get(`${http}/${path}`);
      expect(code).toBe(500);
      expect(text).toContain('[+]ping ok\n[');
      expect(text).toContain('[-]store failed: reason withheld\n');
      expect(text).toMatch(new RegExp(`${path} check failed\n$`));
    }
    expect((await get(`${http}/livez/store`))[1]).toContain('restart the server');
    expect(await server.stop()).toBe(0);
  });
});
