// SPDX-License-Identifier: Apache-2.0
/** A command that needs a server and names none takes the local one, and starts it when none runs. Ref: design section 3. */
import {cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {expect, test} from 'vitest';
import {run, scratch} from '../support/palisade.ts';

test('palisade preview starts a local server, says so, and the next command finds it', async () => {
  using folder = scratch();
  const shop = join(folder.dir, 'shop');
  cpSync(resolve('examples/shop'), shop, {
    recursive: true,
    filter: path => !/node_modules|Pulumi\..+\.yaml$/.test(path),
  });
  symlinkSync(resolve('build/sdk/node_modules'), join(shop, 'node_modules'));
  mkdirSync(join(folder.dir, 'backend'));
  const env = {
    XDG_STATE_HOME: join(folder.dir, 'state'),
    PULUMI_BACKEND_URL: `file://${join(folder.dir, 'backend')}`,
    PULUMI_HOME: join(folder.dir, 'home'),
    PULUMI_CONFIG_PASSPHRASE: 'x',
    PULUMI_NODEJS_TRANSPILE_ONLY: 'true',
    PALISADE_SERVER: '',
    KUBECONFIG: '',
  };
  expect((await run(['stack', 'init', 'dev', '--cwd', shop], {env})).code).toBe(0);
  const serverFile = join(folder.dir, 'state/palisade/server.json');
  try {
    const first = await run(['preview', '--cwd', shop], {env});
    expect(first.code, first.stderr).toBe(0);
    expect(first.stderr).toContain('starting one, data in');
    const second = await run(['preview', '--cwd', shop], {env});
    expect(second.code, second.stderr).toBe(0);
    expect(second.stderr).not.toContain('starting one');
  } finally {
    if (existsSync(serverFile)) {
      process.kill((JSON.parse(readFileSync(serverFile, 'utf8')) as {pid: number}).pid, 'SIGTERM');
      await expect.poll(() => existsSync(serverFile), {timeout: 20_000}).toBe(false);
    }
    rmSync(folder.dir, {recursive: true, force: true});
  }
});
