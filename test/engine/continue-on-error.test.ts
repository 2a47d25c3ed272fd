// SPDX-License-Identifier: Apache-2.0
/** `--continue-on-error`: a failed step stops only what needs its resource. Compared with the Pulumi CLI 3.260. */
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {EngineBench} from './support/engine-bench.ts';

let bench: EngineBench;
beforeEach(() => {
  bench = new EngineBench();
});
afterEach(() => bench.remove());

const acts = () => bench.cloud.take().filter(call => !/^(check|diff)/.test(call));

describe('up --continue-on-error', () => {
  test('goes on with the rest, and deletes nothing as the program ends badly', async () => {
    bench.program("new Thing('gone', {value: 1}); new Thing('bad', {value: 1});");
    await bench.init();
    await bench.up();
    bench.program("new Thing('bad', {fail: 'update'}); new Thing('fresh', {value: 1});");
    bench.cloud.take();
    const ran = await bench.up(1, '--continue-on-error');
    expect(acts().sort()).toEqual(['create fresh', 'update bad']);
    expect(ran.err.match(/error: the cloud is down/g)).toHaveLength(1);
    expect(bench.resource('bad')).toMatchObject({inputs: {value: 1}});
  });

  test('what needs the failed resource is not made; PULUMI_CONTINUE_ON_ERROR does the same', async () => {
    bench.program(`
      const bad = new Thing('bad', {fail: 'create'}); new Thing('needs', {value: bad.computed});
      new Thing('child', {value: 1}, {parent: bad}); const ok = new Thing('ok', {value: 1}); new Thing('ok2', {value: ok.computed});
    `);
    await bench.init();
    bench.env['PULUMI_CONTINUE_ON_ERROR'] = 'true';
    await bench.up(1);
    expect(acts().sort()).toEqual(['create bad', 'create ok', 'create ok2']);
    expect(bench.state().pending_operations).toBeUndefined();
  });

  test('each fault is told once: what the SDK makes of it is left out, what the program itself logs is not', async () => {
    bench.program(`
      const bad = new Thing('bad', {fail: 'create'}); new Thing('bad two', {fail: 'create'});
      new Thing('needs', {value: {deep: bad.computed}}); new Thing('child', {value: 1}, {parent: bad});
      pulumi.log.error('resource bad is what I expected to fail');
    `);
    await bench.init();
    const {err, out} = await bench.up(1, '--continue-on-error');
    expect(err.match(/error: .*/g)?.sort()).toEqual([
      'error: resource bad is what I expected to fail',
      'error: the cloud is down',
      'error: the cloud is down',
    ]);
    expect(err).not.toContain('failed to register');
    expect(out).toContain('3 errored');
  });

  test('nor is it told again where the program exports it or hands it to a function', async () => {
    await bench.init();
    for (const use of [
      'exports.x = bad.computed;',
      "pulumi.runtime.invokeOutput('fake:index:echo', {a: bad.computed});",
    ]) {
      bench.program(`const bad = new Thing('bad', {fail: 'create'}); ${use}`);
      const {err, out} = await bench.up(1, '--continue-on-error');
      expect(err.match(/error: .*/g)).toEqual(['error: the cloud is down']);
      expect(out).toContain('1 errored');
    }
    bench.program("new Thing('bad', {fail: 'create'}); throw new Error('my own');");
    expect((await bench.up(1, '--continue-on-error')).err).toContain('my own');
  });

  test('inputs that are refused stop it all the same', async () => {
    bench.program("const a = new Thing('a', {bad: 1}); new Thing('gone', {value: 1}, {dependsOn: a});");
    await bench.init();
    await bench.up(1, '--continue-on-error');
    expect(acts()).toEqual([]);
  });
});

describe('destroy --continue-on-error', () => {
  const program = `
    const a = new Thing('a', {value: 1}); new Thing('b', {value: a.computed, fail: 'delete'});
    const x = new Thing('x', {value: 1}); const y = new Thing('y', {value: x.computed}); new Thing('z', {value: y.computed});
  `;

  test('deletes all that the failed one does not need; without it the first failure ends it', async () => {
    bench.program(program);
    await bench.init();
    await bench.up();
    bench.cloud.take();
    bench.cloud.before = call => {
      if (call !== 'delete z') return undefined;
      return new Promise(resolve => {
        bench.cloud.before = () => undefined;
        setImmediate(resolve); // the failure of b is known then
      });
    };
    expect((await bench.run('destroy', '--yes', '--skip-preview')).code).toBe(1);
    expect(acts().sort()).toEqual(['delete b', 'delete z']);
    expect((await bench.run('destroy', '--yes', '--skip-preview', '--continue-on-error')).code).toBe(1);
    expect(acts().sort()).toEqual(['delete b', 'delete x', 'delete y']);
    expect(bench.state().resources?.map(({urn}) => String(urn).split('::').at(-1))).toEqual([
      'proj-dev',
      'default',
      'a',
      'b',
    ]);
  });

  test('a deletion that waited for its turn does not begin after one that failed', async () => {
    bench.program("for (const name of ['p', 'q', 'r']) new Thing(name, {fail: 'delete'});");
    await bench.init();
    await bench.up();
    bench.cloud.take();
    const deleted = async (...flags: string[]) => {
      expect((await bench.run('destroy', '--yes', '--skip-preview', '--parallel', '1', ...flags)).code).toBe(1);
      return acts().length;
    };
    expect(await deleted()).toBe(1);
    expect(await deleted('--continue-on-error')).toBe(3);
  });

  test('all protected resources are told, and what nothing protected needs goes', async () => {
    bench.program(
      "for (const name of ['p', 'q']) new Thing(name, {value: 1}, {protect: true}); new Thing('r', {value: 1});",
    );
    await bench.init();
    await bench.up();
    const ran = await bench.run('destroy', '--yes', '--skip-preview');
    expect(ran.code).toBe(1);
    expect(ran.err.match(/cannot be deleted/g)).toHaveLength(2);
    expect([...bench.cloud.objects.keys()]).toHaveLength(2);
  });
});
