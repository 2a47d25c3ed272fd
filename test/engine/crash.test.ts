// SPDX-License-Identifier: Apache-2.0
import {once} from 'node:events';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {EngineBench} from './support/engine-bench.ts';
import {startHangingEngine} from './support/killed-engine.ts';

// Every step starts a program: on a busy machine that takes its time.
vi.setConfig({testTimeout: 240_000, hookTimeout: 60_000});

let bench: EngineBench;
beforeEach(async () => {
  bench = new EngineBench();
  await bench.init();
});
afterEach(() => bench.remove());

const lockFolder = (): string => join(bench.root, 'state/.pulumi/locks/organization/proj/dev');

describe('a killed engine', () => {
  test('leaves the intent in the state; the next run removes its lock, warns, and keeps the rest', async () => {
    bench.program("new Thing('a', {value: 1});");
    const engine = await startHangingEngine(bench);
    expect(bench.state().pending_operations).toMatchObject([{type: 'creating', resource: {type: 'fake:index:Thing'}}]);
    expect(readdirSync(lockFolder())).toHaveLength(1);
    engine.kill('SIGKILL');
    await once(engine, 'exit');

    const ran = await bench.up();
    expect(ran.err).toContain(`the lock of a process that ended (pid ${engine.pid}`);
    expect(ran.err).toMatch(/1 pending operations from previous deployment[\s\S]*::a, interrupted while creating/);
    expect(bench.resource('a')).toMatchObject({id: 'id-1'});
    expect(bench.state().pending_operations).toHaveLength(1);
    expect((await bench.run('refresh', '--yes', '--skip-preview', '--clear-pending-creates')).code).toBe(0);
    expect(bench.state().pending_operations).toBeUndefined();
    expect(readdirSync(lockFolder())).toEqual([]);
  });

  test('a lock of another host holds until it is cancelled', async () => {
    bench.program('');
    const content = {pid: 1, username: 'u', hostname: 'elsewhere', timestamp: '2026-01-01T00:00:00Z'};
    writeFileSync(join(lockFolder(), 'x.json'), JSON.stringify(content));
    writeFileSync(join(lockFolder(), 'x.json.attrs'), '{}'); // the CLI keeps one beside each file
    const refused = await bench.run('up', '--yes', '--skip-preview');
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/locked by 1 lock\(s\)[\s\S]*palisade cancel[\s\S]*created by u@elsewhere \(pid 1\)/);
    expect((await bench.run('cancel', '--yes')).code).toBe(0);
    expect(readdirSync(lockFolder())).toEqual([]);
    await bench.up();
  });
});

describe('Ctrl-C', () => {
  test('waits for the step in progress, keeps its result, starts nothing new, exit 1', async () => {
    bench.program("const a = new Thing('a', {value: 1}); new Thing('b', {value: a.computed});");
    bench.cloud.before = call => {
      if (call === 'create a') bench.interrupt?.();
    };
    const ran = await bench.up(1);
    expect(ran.err).toContain('update canceled');
    expect(bench.cloud.cancelled).toBeGreaterThan(0);
    expect(bench.resource('a')).toMatchObject({id: 'id-1'});
    expect(bench.resource('b')).toBeUndefined();
    expect(bench.state().pending_operations).toBeUndefined();
    await bench.up();
    expect(bench.resource('b')).toBeDefined();
  });
});

describe('a damaged state', () => {
  const file = (): string => join(bench.root, 'state/.pulumi/stacks/proj/dev.json');

  test('is refused with the place of the copy before it', async () => {
    bench.program('');
    await bench.up();
    writeFileSync(file(), readFileSync(file(), 'utf8').slice(0, 100));
    const ran = await bench.run('up', '--yes', '--skip-preview');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('dev.json.bak');
    expect(JSON.parse(readFileSync(`${file()}.bak`, 'utf8')).checkpoint.stack).toBe('organization/proj/dev');
  });

  test('of a newer format is refused', async () => {
    writeFileSync(file(), '{"version": 9, "checkpoint": {}}');
    expect((await bench.run('stack', 'output')).err).toContain('has version 9');
  });
});
