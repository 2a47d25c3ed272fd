// SPDX-License-Identifier: Apache-2.0
/** A server whose write-ahead log was damaged: the start says what is lost and what to do, and the way out works. */
import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {quiet, run, scratch, serve} from '../support/palisade.ts';

const create = (server: string, name: string) =>
  fetch(`${server}/api/v1/namespaces/default/endpoints`, {
    method: 'POST',
    headers: {'content-type': 'application/json'},
    body: JSON.stringify({metadata: {name}, subsets: [{addresses: [{ip: '10.0.0.1'}]}]}),
  });
type List = {metadata: {resourceVersion: string}; items: {metadata: {resourceVersion: string}}[]};
const list = async (server: string): Promise<List> =>
  (await (await fetch(`${server}/api/v1/endpoints`)).json()) as List;
const newest = ({items}: List): number => Math.max(...items.map(item => Number(item.metadata.resourceVersion)));

const flip = (path: string, share: number): void => {
  const content = readFileSync(path);
  const at = Math.floor(content.length * share);
  content[at] = (content[at] ?? 0) ^ 4;
  writeFileSync(path, content);
};

test('F-02 a log that lost answered writes ends the start with the command that accepts the loss; afterwards no version comes twice', async () => {
  using folder = scratch();
  const wal = join(folder.dir, 'data/store.sqlite-wal');
  const flags = [...quiet(folder.dir), '--apis', 'kubernetes', '--mirror', 'services']; // the test writes alone
  const first = await serve(flags);
  for (let n = 0; n < 40; n++) expect((await create(first.ready.http, `e${n}`)).status).toBe(201);
  const before = newest(await list(first.ready.http));
  await first.stop('SIGKILL');
  flip(wal, 0.5);
  const damaged = readFileSync(wal);

  const refused = await run(['serve', ...flags]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    new RegExp(
      `^palisade: .*store\\.sqlite-wal: it is damaged at byte \\d+, and \\d+ transactions \\(revisions \\d+ to ${before}\\) .*palisade store repair --data`,
      'm',
    ),
  );
  const repair = ['store', 'repair', '--data', join(folder.dir, 'data')];
  const shown = await run(repair);
  expect([shown.code, shown.stderr]).toEqual([1, expect.stringContaining('accept the loss with --accept-loss')]);
  expect(readFileSync(wal)).toEqual(damaged);
  const accepted = await run([...repair, '--accept-loss']);
  expect([accepted.code, accepted.stderr]).toEqual([0, '']);
  expect(accepted.stdout).toMatch(
    /^discarded \d+ transactions .*\nkept the damaged log as .*-wal\.damaged-1\nnext revision: \d+\n$/,
  );
  expect(readFileSync(`${wal}.damaged-1`)).toEqual(damaged);

  await using again = await serve(flags);
  const kept = await list(again.ready.http);
  expect(kept.items.length).toBeLessThan(40);
  expect((await create(again.ready.http, 'later')).status).toBe(201);
  expect(newest(await list(again.ready.http))).toBeGreaterThan(before);
  const old = await fetch(`${again.ready.http}/api/v1/endpoints?watch=1&resourceVersion=${before}`);
  expect(await old.text()).toContain('410');
});

test('F-02 a torn last transaction is announced by store repair and cut, with one line in the log that gives its size', async () => {
  using folder = scratch();
  const flags = [...quiet(folder.dir), '--apis', 'kubernetes', '--mirror', 'services']; // the test writes alone
  const first = await serve(flags);
  for (const name of ['a', 'b']) expect((await create(first.ready.http, name)).status).toBe(201);
  await first.stop('SIGKILL');
  const wal = join(folder.dir, 'data/store.sqlite-wal');
  flip(wal, 0.9999);
  const torn = readFileSync(wal);
  for (const more of [[], ['--accept-loss']])
    expect(await run(['store', 'repair', '--data', join(folder.dir, 'data'), ...more])).toEqual({
      code: 0,
      stdout: `${wal}: the last transaction (1 commit) is damaged or torn; the next start removes it\n`,
      stderr: '',
    });
  expect(readFileSync(wal)).toEqual(torn);
  await using again = await serve(flags);
  const lines = again
    .stderr()
    .split('\n')
    .filter(line => line.includes('torn transaction'));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 40,
    commits: 1,
    bytes: expect.any(Number),
    frames: expect.any(Number),
  });
  expect((await list(again.ready.http)).items).toHaveLength(1);
});

test.each(['absent', 'empty', 'file'])('store repair without a store (%s) says so and makes no file', async name => {
  using folder = scratch();
  mkdirSync(join(folder.dir, 'empty'));
  writeFileSync(join(folder.dir, 'file'), '');
  const dir = join(folder.dir, name);
  for (const more of [[], ['--accept-loss']])
    expect(await run(['store', 'repair', '--data', dir, ...more])).toEqual({
      code: 3,
      stdout: '',
      stderr: `palisade: no store in ${dir}; check --data\n`,
    });
  expect(existsSync(join(folder.dir, 'absent'))).toBe(false);
  expect(readdirSync(join(folder.dir, 'empty'))).toEqual([]);
});
