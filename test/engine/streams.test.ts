// SPDX-License-Identifier: Apache-2.0
// What is on stdout and what is on stderr, as the Pulumi CLI has it: scripts pipe the one and show the other.
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {bench} from './support/bench-for-each.ts';

const run = (line: string) => bench.run(...line.split(' '));
const ONE = `new Thing('a', {value: 1}); exports.out = 1;`;

describe('operations', () => {
  test.each([
    ['preview', 'Previewing update (dev):', '+  fake:index:Thing a create'],
    ['up --yes', 'Previewing update (dev):', '+  fake:index:Thing a create'],
    ['up --yes --skip-preview', 'Updating (dev):', '+  fake:index:Thing a created'],
  ])('F-20 %s: its steps are on stdout, nothing is on stderr', async (line, heading, step) => {
    bench.program(ONE);
    const {code, out, err} = await run(line);
    expect(code, out + err).toBe(0);
    expect(out).toContain(`${heading}\n`);
    expect(out).toContain(step);
    expect(out).toContain('Resources:');
    expect(err).toBe('');
  });

  test('F-20 refresh and destroy: the same, with --diff the properties too', async () => {
    bench.program(ONE);
    await bench.up();
    const refreshed = await run('refresh --yes --skip-preview');
    expect(refreshed).toMatchObject({code: 0, err: ''});
    expect(refreshed.out).toMatch(/^Refreshing \(dev\):\n/);
    const destroyed = await run('destroy --yes --skip-preview --diff');
    expect(destroyed).toMatchObject({code: 0, err: ''});
    expect(destroyed.out).toMatch(
      /^Destroying \(dev\):\n - {2}fake:index:Thing a deleting\n[\s\S]*a deleted.*\n[\s\S]* - value: 1\n/,
    );
  });

  test('F-20 warnings, errors and notes are on stderr, what the program prints on the stream that it prints it on', async () => {
    bench.program(`
console.log('printed');
console.error('complained');
pulumi.log.info('information');
pulumi.log.warn('a warning');
new Thing('a', {value: 1, fail: 'create'});`);
    const {out, err} = await bench.up(1);
    expect(out).toMatch(/ {4}printed\n/);
    expect(out).toMatch(/Diagnostics:\n.*\n {4}information\n/);
    expect(out).toContain('fake:index:Thing a creating failed');
    expect(out).not.toMatch(/complained|a warning|error:/);
    expect(err).toMatch(/ {4}complained\n/);
    expect(err).toMatch(/Diagnostics:\n[\s\S]* {4}warning: a warning\n/);
    expect(err).toMatch(/ {4}error: /);
    expect(err).not.toMatch(/printed|information|creating/);
  });

  test.each([
    'preview --json',
    'up --yes --json',
    'up --yes --skip-preview --json',
    'refresh --yes --json',
    'destroy --yes --json',
  ])('F-20 %s: stdout is one JSON document, the steps are on stderr', async line => {
    bench.program(ONE);
    await bench.up();
    bench.program(`new Thing('b', {value: 1});`);
    const {code, out, err} = await run(line);
    expect(code, err).toBe(0);
    expect(() => JSON.parse(out)).not.toThrow();
    expect(err).toContain('(dev):');
  });

  test('F-20 up --json that fails prints one JSON document, too', async () => {
    bench.program(`new Thing('a', {value: 1, fail: 'create'});`);
    const {out, err} = await bench.up(1, '--json');
    expect(() => JSON.parse(out)).not.toThrow();
    expect(err).toContain('error: ');
  });

  test('F-20 a preview that nobody asked for is a note', async () => {
    bench.program(ONE);
    await bench.up();
    bench.program(`${ONE} new Thing('new', {value: 1});`);
    const urn = 'urn:pulumi:dev::proj::fake:index:Thing::new';
    const {out, err} = await bench.up(0, '--target', urn);
    expect(err).toContain('Previewing update (dev):');
    expect(out).toMatch(/^Updating \(dev\):\n/);
  });
});

describe('import', () => {
  const words = ['fake:index:Thing', 'a', 'id-1', '--yes', '--skip-preview'];
  beforeEach(async () => {
    bench.program(ONE);
    await bench.up();
    await run('state delete --all --force --yes');
  });

  test('F-20 the code that it prints is alone on stdout', async () => {
    const {code, out, err} = await bench.run('import', ...words);
    expect(code, err).toBe(0);
    expect(out).toMatch(/^import \* as pulumi|^import \* as|^const |^\/\//);
    expect(out).not.toContain('imported');
    expect(err).toContain('fake:index:Thing a imported');
  });

  test.each([['--out', 'a.ts'], ['--generate-code=false']])(
    'F-20 with %s the steps are on stdout',
    async (...flags) => {
      const {code, out, err} = await bench.run('import', ...words, ...flags);
      expect(code, err).toBe(0);
      expect(out).toContain('fake:index:Thing a imported');
      expect(err).not.toContain('imported (');
      expect(existsSync(join(bench.folder, 'a.ts'))).toBe(flags.length === 2);
    },
  );
});

test.each(['stack output out', 'stack ls', 'stack export', 'stack history', 'config', 'stack --show-name'])(
  'F-20 %s: what it was asked for is on stdout, nothing is on stderr',
  async line => {
    bench.program(ONE);
    await bench.up();
    const {code, out, err} = await run(line);
    expect([code, err]).toEqual([0, '']);
    expect(out).not.toBe('');
  },
);

test('F-20 edits say what they did on stderr and print nothing', async () => {
  bench.program(ONE);
  await bench.up();
  const urn = 'urn:pulumi:dev::proj::fake:index:Thing::a';
  for (const line of [
    `state protect ${urn} --yes`,
    `state unprotect ${urn} --yes`,
    `state delete ${urn} --yes`,
    'stack rename new',
    'stack rm --yes --force',
  ]) {
    const {code, out, err} = await run(line);
    expect([code, out], line).toEqual([0, '']);
    expect(err, line).not.toBe('');
  }
});
