import {once} from 'node:events';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {livenessOf, ownMark} from '@palisade/engine/process-mark';
import {describe, expect, test} from 'vitest';
import {bench} from './support/bench-for-each.ts';
import {startHangingEngine} from './support/killed-engine.ts';

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

describe('the lock of this host', () => {
  test('F-23 is written with the start of its process', async () => {
    bench.program("new Thing('a', {value: 1});");
    const engine = await startHangingEngine(bench);
    const [name = ''] = readdirSync(lockFolder());
    const lock = JSON.parse(readFileSync(join(lockFolder(), name), 'utf8'));
    const before = livenessOf(lock.pid, lock.process);
    engine.kill('SIGKILL');
    await once(engine, 'exit');
    expect(lock).toMatchObject({pid: engine.pid, process: {...ownMark(), startTicks: expect.stringMatching(/^\d+$/)}});
    expect([before, livenessOf(lock.pid, lock.process)]).toEqual(['running', 'gone']);
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

  test.each([
    ['{"resources": {}}', 'resources of the state is not a list'],
    ['{"resources": [null]}', 'a resource in the state is not an object'],
    ['{"resources": [{"urn": "x"}]}', 'a resource in the state has no urn or no type'],
    ['{"resources": [{"urn": "x", "type": "a:b:C"}]}', 'a resource in the state has an invalid urn: "x"'],
    ['{"pending_operations": [{}]}', 'a resource in the state is not an object'],
    ['{"manifest": {"version": "v3.0.0", "magic": "x"}}', 'the state was changed by hand or is damaged'],
    ['[]', 'contains no deployment'],
  ])('%s is told in one line with its file, and taken for no empty one', async (latest, why) => {
    bench.program("new Thing('a', {value: 1});");
    writeFileSync(file(), `{"version": 3, "checkpoint": {"latest": ${latest}}}`);
    for (const line of ['up --yes --skip-preview', 'preview', 'stack output']) {
      const {code, err} = await bench.run(...line.split(' '));
      expect(code).toBe(1);
      expect(err).toMatch(
        /^(Updating|Previewing)?.*palisade: [^\n]*dev\.json[^\n]*; copy \S+dev\.json\.bak over \S+dev\.json, or palisade stack import --file GOOD\.json\n$/s,
      );
      expect(err).toContain(why);
    }
    expect(bench.cloud.take()).toEqual([]);
    await bench.run('stack', 'init', 'other');
    writeFileSync(file(), '{');
    const list = await bench.run('stack', 'ls', '--json');
    expect(JSON.parse(list.out)).toMatchObject([{name: 'dev'}, {name: 'other', resourceCount: 0}]);
    expect(list.err).toMatch(/^warning: .*dev\.json is not valid JSON/);
    expect((await bench.run('stack', 'rm', 'dev', '--yes')).code).toBe(1);
    expect((await bench.run('stack', 'rm', 'dev', '--yes', '--force')).code).toBe(0);
  });

  const wayBack = (): string => `copy ${file()}.bak over ${file()}, or palisade stack import --file GOOD.json\n`;
  test.each<[string, (text: string) => string, (() => string)?]>([
    ['cut off', (text: string) => text.slice(0, 100)],
    ['with a malformed URN', (text: string) => text.replace('"urn":"urn:', '"urn":"')],
    ['too new', (text: string) => text.replace('"version":3', '"version":9'), () => 'or a newer palisade. It was left'],
  ])('%s is replaced by an import, and kept under a name that is printed', async (_, damage, wayOut = wayBack) => {
    bench.program("exports.s = pulumi.secret('hidden'); new Thing('a', {value: 1});");
    await bench.up();
    const good = join(bench.root, 'good.json');
    await bench.run('stack', 'export', '--file', good);
    const before = readFileSync(`${file()}.bak`, 'utf8');
    const damaged = damage(readFileSync(file(), 'utf8'));
    writeFileSync(file(), damaged);
    const refused = await bench.run('stack', 'output');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(wayOut());
    const {code, err} = await bench.run('stack', 'import', '--file', good);
    expect(code, err).toBe(0);
    const kept = /^The previous state, which could not be read, is kept in (\S+)$/m.exec(err)?.[1] ?? '';
    expect(readFileSync(kept, 'utf8')).toBe(damaged);
    expect(readFileSync(`${file()}.bak`, 'utf8')).toBe(before);
    expect((await bench.run('stack', 'output', 's', '--show-secrets')).out).toBe('hidden\n');
    await bench.up(0, '--expect-no-changes');
    expect(JSON.parse((await bench.run('stack', 'ls', '--json')).out)).toHaveLength(1);
  });

  test('with secrets that another manager keeps is refused with the way out', async () => {
    const deployment = {secrets_providers: {type: 'cloud', state: {}}, resources: []};
    bench.input = JSON.stringify({version: 3, deployment});
    const told = (await bench.run('stack', 'import')).err;
    expect(told).toMatch(/^palisade: the secrets of this stack are kept by "cloud": .*change-secrets-provider/);
    expect(told.match(/\n/g)).toHaveLength(1);
  });

  test.each([
    ['', 'it is not JSON'],
    ['{"version": 3}', 'it has no "deployment"'],
    ['{"version": 3, "deployment": null}', 'it has no "deployment"'],
    ['{"version": 3, "deployment": {"resources": 3}}', 'resources of the state is not a list'],
    [
      '{"version": 3, "deployment": {"resources": [{"urn": "x", "type": "t"}]}}',
      'a resource in the state has an invalid urn',
    ],
  ])('is not imported: %s', async (text, why) => {
    const before = readFileSync(file(), 'utf8');
    bench.input = text;
    const told = await bench.run('stack', 'import', '--force');
    expect(told).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^palisade: could not read the deployment: .*\n$/),
    });
    expect(told.err).toContain(why);
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });

  test('does not go on in the history: its file is named', async () => {
    bench.program('');
    await bench.up();
    const history = join(bench.root, 'state/.pulumi/history/proj/dev');
    const record = join(history, readdirSync(history).find(name => name.endsWith('.history.json')) ?? '');
    writeFileSync(record, '{');
    const told = await bench.run('stack', 'history');
    expect(told.code).toBe(1);
    expect(told.err).toMatch(/^palisade: \S+\.history\.json is not .*: delete it .*\n$/);
    writeFileSync(record, '{"kind": "update", "startTime": 1, "endTime": 2, "result": "succeeded", "config": null}');
    expect(JSON.parse((await bench.run('stack', 'history', '--json')).out)).toMatchObject([
      {kind: 'update', config: {}},
    ]);
  });

  test('that was selected in a damaged file is told with the way out', async () => {
    const workspaces = join(bench.root, 'home/workspaces');
    for (const name of readdirSync(workspaces)) writeFileSync(join(workspaces, name), '{');
    expect((await bench.run('stack')).err).toMatch(/workspace\.json is not valid JSON: remove it, and select/);
  });
});
