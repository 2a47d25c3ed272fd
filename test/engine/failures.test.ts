// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {bench} from './support/bench-for-each.ts';

describe('a refused input', () => {
  test('the error names resource and property in the form of the Pulumi CLI, and nothing after it is created', async () => {
    bench.program(`
      const bad = new Thing('bad', {bad: 'x'});
      new Thing('late', {value: bad.id});
    `);
    const ran = await bench.up(1);
    expect(ran.all).toContain("fake:index:Thing resource 'bad': property bad value {x} has a problem: this is refused");
    expect(ran.all.match(/this is refused/g)).toHaveLength(1);
    expect(bench.cloud.objects.size).toBe(0);
  });

  test('X-003 E-024 a name used twice is an error that names both declarations, before any call for the second', async () => {
    bench.program(`
      new Thing('twin', {value: 1});
      new Thing('twin', {value: 2});
    `);
    const ran = await bench.up(1);
    expect(ran.all).toMatch(
      /Duplicate resource URN '.*::twin'; try giving it a unique name \(declared at index\.js:\d+.* and again at index\.js:\d+/,
    );
  });
});

describe('a change that the provider refuses when it compares', () => {
  test('fails the preview too, and the original stays', async () => {
    bench.program("new Thing('early', {key: cfg.get('key') ?? 'k1', early: true, name: 'fixed'});");
    await bench.up();
    bench.cloud.take();
    await bench.run('config', 'set', 'key', 'mars');
    bench.cloud.before = async call => {
      if (call === 'diff early') throw new Error('key: there is no mars');
    };
    const preview = await bench.run('preview');
    expect(preview.code, preview.all).not.toBe(0);
    for (const {all} of [preview, await bench.up(1)]) expect(all).toContain('key: there is no mars');
    expect(bench.cloud.take()).not.toContain('delete early');
    expect(bench.resource('early')).toMatchObject({inputs: {key: 'k1'}});
  });
});

describe('a failed create', () => {
  test('leaves the original of a replacement, of which the next preview tells', async () => {
    const program = (key: string, rest: string): void =>
      bench.program(`const a = new Thing('a', {key: '${key}'}); ${rest}`);
    program('k1', '');
    await bench.up();
    program('k2', "new Thing('bad', {bad: 'x'}, {dependsOn: a});");
    await bench.up(1);
    program('k2', '');
    const left = / -- fake:index:Thing a delete original, left over from an earlier update\n/;
    expect((await bench.run('preview')).all).toMatch(left);
    await bench.up();
    expect(bench.cloud.objects.size).toBe(1);
    program('k3', '');
    const replacement = await bench.run('preview'); // shown once, not by its halves
    expect(replacement.all).toContain('a replace');
    expect(replacement.all).not.toContain('delete original');
  });

  test('dependents are not run, running siblings finish, deletions are skipped', async () => {
    bench.program("new Thing('old', {value: 1});");
    await bench.up();
    bench.cloud.take();
    bench.cloud.before = call =>
      call === 'create slow' ? new Promise(resolve => setTimeout(resolve, 300)) : undefined;
    bench.program(`
      const slow = new Thing('slow', {value: 1});
      const down = new Thing('down', {fail: 'create'});
      new Thing('dependent', {value: down.computed});
    `);
    const ran = await bench.up(1);
    expect(ran.all).toContain('the cloud is down');
    expect(bench.cloud.take()).not.toContain('delete old');
    expect(bench.resource('slow')).toBeDefined();
    expect(bench.resource('down')).toBeUndefined();
    expect(bench.resource('old')).toBeDefined();
    expect(bench.state().pending_operations).toBeUndefined();
  });

  test('the stack keeps the outputs that the program could not give any more', async () => {
    bench.program("exports.seen = new Thing('a', {value: 1}).computed; exports.plain = 'p';");
    await bench.up();
    const before = bench.resource('proj-dev')?.['outputs'];
    expect(before).toEqual({seen: 'c-id-1', plain: 'p'});
    bench.program(
      "exports.seen = new Thing('a', {value: 1}).computed; exports.more = new Thing('b', {fail: 'create'}).computed;",
    );
    await bench.up(1);
    expect(bench.resource('proj-dev')).toMatchObject({outputs: before});
    bench.program("exports.plain = 'p'; throw new Error('boom');");
    await bench.up(1);
    expect(bench.resource('proj-dev')).toMatchObject({outputs: before});
  });

  test('an output that the program gave up is gone, also when a deletion fails behind it', async () => {
    bench.program("new Thing('a', {value: 1, fail: 'delete'}); exports.old = 'o'; exports.plain = 'p';");
    await bench.up();
    bench.program("exports.plain = 'q';");
    await bench.up(1);
    expect(bench.resource('proj-dev')?.['outputs']).toEqual({plain: 'q'});
  });

  test('half done: the object stays in the state with its reasons, and the next up updates it', async () => {
    bench.program("new Thing('half', {fail: cfg.get('fail')});");
    await bench.run('config', 'set', 'fail', 'partial');
    const ran = await bench.up(1);
    expect(ran.all).toContain('half done');
    expect(bench.resource('half')).toMatchObject({id: 'id-1', initErrors: ['half done']});
    await bench.run('config', 'rm', 'fail');
    bench.cloud.take();
    await bench.up();
    expect(bench.cloud.take()).toContain('update half');
    expect(bench.resource('half')).not.toHaveProperty('initErrors');
  });
});

describe('a program that fails', () => {
  test('an exception is shown, and nothing is deleted', async () => {
    bench.program("new Thing('old', {value: 1});");
    await bench.up();
    bench.program("throw new Error('my own fault');");
    const ran = await bench.up(1);
    expect(ran.all).toContain('my own fault');
    expect(bench.cloud.objects.size).toBe(1);
  });

  test('warnings of Node are shown, but not that a rejection was waited for late', async () => {
    bench.program(`
      process.emitWarning('my own warning', 'DeprecationWarning');
      process.removeAllListeners('unhandledRejection');
      process.on('unhandledRejection', () => undefined);
      const late = Promise.reject(new Error('late'));
      module.exports = (async () => {
        await new Promise(done => setTimeout(done, 20));
        await late.catch(() => undefined);
      })();
    `);
    const ran = await bench.up();
    expect(ran.all).toContain('DeprecationWarning: my own warning');
    expect(ran.all).not.toContain('PromiseRejectionHandledWarning');
  });

  test('a program that leaves half-way deletes nothing', async () => {
    bench.program("new Thing('old', {value: 1});");
    await bench.up();
    bench.write('index.js', 'process.exit(0);');
    const ran = await bench.up(1);
    // The SDK turns the early exit into code 1 when it still can; otherwise the engine notices what is missing.
    expect(ran.all).toMatch(/the program (exited with code 1|ended before it had registered everything)/);
    expect(bench.cloud.objects.size).toBe(1);
  });
});

test('with --parallel 1 a step is shown when it starts; one that never starts after a failure is not', async () => {
  const started = ({out}: {out: string}, doing: string) => out.match(new RegExp(`Thing . ${doing}$`, 'gm'))?.length;
  const one = ['--yes', '--skip-preview', '--parallel', '1'];
  bench.program("for (const name of ['a', 'b', 'c']) new Thing(name, {fail: 'create'});");
  expect(started(await bench.run('up', ...one), 'creating')).toBe(1);
  bench.program("for (const name of ['a', 'b', 'c']) new Thing(name, {});");
  await bench.up();
  bench.program("for (const name of ['a', 'b', 'c']) new Thing(name, {fail: 'update'});");
  expect(started(await bench.run('up', ...one), 'updating')).toBe(1);
  bench.cloud.before = call => {
    if (/^(read|delete)/.test(call)) throw new Error('no answer');
  };
  const refreshed = await bench.run('refresh', ...one);
  expect([started(refreshed, 'refreshing'), started(refreshed, 'refreshing failed')]).toEqual([1, 1]);
  expect(started(await bench.run('destroy', ...one), 'deleting')).toBe(1);
});

/** The lines that a run shows of its steps on Things, as `NAME DOING`; without the time that a slow one took. */
const shown = ({out}: {out: string}) =>
  [...out.matchAll(/fake:index:Thing (.+?)(?: \(\d+\.\ds\))?$/gm)].map(([, line = '']) => line);

test('with --parallel 1 a step is shown as done before the next one is shown', async () => {
  const one = ['--yes', '--skip-preview', '--parallel', '1'];
  for (const name of ['f', 'g']) bench.cloud.objects.set(`x-${name}`, {id: `x-${name}`, inputs: {name}, version: 1});
  bench.program("const a = new Thing('a', {}); new Thing('b', {value: a.computed});");
  await bench.run('up', ...one);
  bench.program("for (const name of ['f', 'g']) Thing.get(name, 'x-' + name);");
  const read = shown(await bench.run('up', ...one));
  expect(read.slice(0, 4)).toEqual(['f reading', 'f read', 'g reading', 'g read']);
  expect(read.filter(line => line.includes('delet'))).toEqual(['b deleting', 'b deleted', 'a deleting', 'a deleted']);
  bench.program("for (const name of ['f', 'g']) new Thing('im' + name, {name}, {import: 'x-' + name});");
  const imported = shown(await bench.run('up', ...one)).filter(line => line.startsWith('im'));
  expect(imported).toEqual(['imf importing', 'imf imported', 'img importing', 'img imported']);
});

test('no read begins that waited for its turn after one that failed', async () => {
  bench.program("for (const name of ['a', 'b', 'c']) Thing.get(name, 'none');");
  const ran = await bench.run('up', '--yes', '--skip-preview', '--parallel', '1');
  expect(shown(ran).filter(line => line.endsWith('reading'))).toEqual(['a reading']);
  expect(ran.err.match(/does not exist/g)).toHaveLength(1);
});
