// SPDX-License-Identifier: Apache-2.0
import {existsSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {bench} from './support/bench-for-each.ts';

const run = (line: string) => bench.run(...line.split(' '));
const file = (name: string): string => join(bench.folder, name);
const read = (name: string): string => readFileSync(file(name), 'utf8');
/** Plain values of a stack; secrets are marked. */
const values = async (stack: string): Promise<Record<string, unknown>> => {
  const {out} = await run(`config --json --show-secrets --stack ${stack}`);
  const entries = Object.entries(JSON.parse(out) as Record<string, {value: string; secret: boolean}>);
  return Object.fromEntries(entries.map(([key, {value, secret}]) => [key, secret ? {secret: value} : value]));
};

describe('config cp', () => {
  beforeEach(async () => {
    await run('config set a 1');
    await run('config set --secret s hush');
    await run('config set --path m.x 2');
    await run('config set --path --secret m.s deep');
    await run('stack init other --no-select');
    await run('config set a old --stack other');
    await run('config set b kept --stack other');
  });

  test('copies all, encrypted for the other stack; what that has besides stays', async () => {
    expect(await run('config cp --dest other')).toMatchObject({code: 0, out: '', err: ''});
    const m = {secret: '{"s":"deep","x":2}'};
    expect(await values('other')).toEqual({'proj:a': '1', 'proj:b': 'kept', 'proj:m': m, 'proj:s': {secret: 'hush'}});
    const [mine, theirs] = [read('Pulumi.dev.yaml'), read('Pulumi.other.yaml')];
    for (const [, sealed] of mine.matchAll(/secure: (\S+)/g)) expect(theirs).not.toContain(sealed);
    expect(theirs).not.toMatch(/hush|deep/);
  });

  test('copies one value, or a part of one', async () => {
    await run('config copy a -d other');
    await run('config cp --path m.s --dest other');
    expect(await values('other')).toEqual({'proj:a': '1', 'proj:b': 'kept', 'proj:m': {secret: '{"s":"deep"}'}});
    expect(await values('dev')).toHaveProperty('proj:s', {secret: 'hush'});
  });

  test.each([
    ['config cp nope --dest other', 1, "configuration key 'nope' not found for stack 'dev'"],
    ['config cp --dest dev', 1, 'are the same'],
    ['config cp --dest none', 1, "no stack named 'none' found"],
    [
      'config cp --dest organization/elsewhere/other',
      1,
      'belongs to another project than "proj"; give a stack of this project',
    ],
    ['config cp', 2, '--dest STACK'],
  ])('%s: %i', async (line, code, message) => {
    const before = read('Pulumi.other.yaml');
    expect(await run(line)).toMatchObject({code, err: expect.stringContaining(message)});
    expect(read('Pulumi.other.yaml')).toBe(before);
  });
});

describe('config refresh', () => {
  test('sets the file back to the last deployment, and keeps the one before beside it', async () => {
    await run('config set a 1');
    await run('config set --secret s hush');
    await run('config set --path m.x 2');
    bench.program('');
    await bench.up();
    const deployed = await values('dev');
    await run('config set a 99');
    await run('config set more yes');
    await run('config rm s');
    const edited = read('Pulumi.dev.yaml');
    expect((await run('config refresh')).code).toBe(0);
    expect(await values('dev')).toEqual(deployed);
    expect(deployed).toHaveProperty('proj:s', {secret: 'hush'});
    expect(read('Pulumi.dev.yaml.bak')).toBe(edited);
    expect((await run('config refresh')).err).toContain('Pulumi.dev.yaml.bak.bak');
    await run('config refresh --force');
    expect(existsSync(file('Pulumi.dev.yaml.bak.bak.bak'))).toBe(false);
    await bench.up(0, '--expect-no-changes');

    rmSync(file('Pulumi.dev.yaml')); // with the salt
    expect((await run('config refresh')).err).not.toContain('Backed up');
    expect(await values('dev')).toEqual(deployed);
  });

  test('without secrets or values it makes no file; a stack that was never deployed has nothing to go back to', async () => {
    expect(await run('config refresh')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no previous deployment'),
    });
    delete bench.env['PULUMI_CONFIG_PASSPHRASE'];
    await run('stack init bare');
    bench.program('');
    await bench.up();
    expect((await run('config refresh')).code).toBe(0);
    expect(await values('bare')).toEqual({});
    expect(existsSync(file('Pulumi.bare.yaml'))).toBe(false);
    writeFileSync(file('mine.yaml'), 'config:\n  proj:a: 1\n');
    expect((await run('config refresh --config-file mine.yaml')).code).toBe(0);
    expect(read('mine.yaml')).not.toContain('proj:a');
    expect(read('mine.yaml.bak')).toContain('proj:a');
  });
});
