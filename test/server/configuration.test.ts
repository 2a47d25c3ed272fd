// SPDX-License-Identifier: Apache-2.0
/** `palisade serve --config FILE`: it starts the server that it describes, and SIGHUP applies what it can of a changed file. */
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {get} from 'node:https';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {run, scratch, serve} from '../support/palisade.ts';

type Line = {readonly msg: string; readonly [field: string]: unknown};
const linesOf = (stderr: string): Line[] =>
  stderr
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as Line);
const statusWith = (token: string, url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = {authorization: `Bearer ${token}`};
    get(`${url}/api`, {rejectUnauthorized: false, agent: false, headers}, response => {
      response.resume();
      resolve(response.statusCode);
    }).once('error', reject);
  });

type Started = Awaited<ReturnType<typeof serve>>;
/** Sends SIGHUP and waits for the next line of this outcome. */
const reload = async (server: Started, outcome: string): Promise<Line> => {
  const found = () => linesOf(server.stderr()).filter(({msg}) => msg === outcome);
  const before = found().length;
  server.child.kill('SIGHUP');
  await expect.poll(() => found().length, {timeout: 60_000}).toBeGreaterThan(before);
  return found().at(-1) as Line;
};

test('43-5 SIGHUP: tokens and log level are applied, other keys are named, and a faulty file changes nothing', async () => {
  using folder = scratch();
  const file = join(folder.dir, 'palisade.yaml');
  const tokens = join(folder.dir, 'tokens.csv');
  const put = (more: string, from = 'tokens.csv'): void =>
    writeFileSync(file, `data: data\nhttps: 127.0.0.1:0\napis: kubernetes\ntokenAuthFile: ${from}\n${more}`);
  put('logLevel: info\n');
  writeFileSync(tokens, 'first,ann,1,"system:masters"\n');
  await using server = await serve(['--config', file]);
  const url = server.ready.https ?? '';
  expect(existsSync(join(folder.dir, 'data/store.sqlite'))).toBe(true);
  expect([await statusWith('first', url), await statusWith('second', url)]).toEqual([200, 401]);

  put('logLevel: debug\nlocations: [mars]\ncompat: kubernetes\n');
  writeFileSync(tokens, 'second,bob,2,"system:masters"\n');
  expect(await reload(server, 'configuration reloaded')).toMatchObject({
    applied: ['logLevel'],
    needsRestart: ['compat', 'locations'],
  });
  expect([await statusWith('first', url), await statusWith('second', url)]).toEqual([401, 200]);
  await expect.poll(() => linesOf(server.stderr()).filter(({msg}) => msg === 'request').length).toBeGreaterThan(0);

  put('logLevel: loud\ndrivr: relay\n', 'other.csv');
  writeFileSync(join(folder.dir, 'other.csv'), 'third,eve,3,"system:masters"\n');
  expect(await reload(server, 'configuration reload failed, nothing was changed')).toMatchObject({
    faults: [
      `${file}:5:11: logLevel loud: must be one of trace, debug, info, warn, error, silent`,
      `${file}:6:1: drivr: unknown key; did you mean "driver"?`,
    ],
  });
  expect([await statusWith('second', url), await statusWith('third', url)]).toEqual([200, 401]);

  put('logLevel: warn\n');
  writeFileSync(tokens, 'no token\n');
  expect(await reload(server, 'configuration reloaded in part')).toMatchObject({
    applied: ['logLevel'],
    failed: ['tokenAuthFile'],
    needsRestart: [],
  });
  expect(server.stderr()).toContain('token file reload failed, the previous tokens stay valid');
  expect(await statusWith('second', url)).toBe(200);
  expect(await server.stop()).toBe(0);
});

test('44-1 SIGHUP: budgets of records are applied, and --print-config shows them', async () => {
  using folder = scratch();
  const file = join(folder.dir, 'palisade.yaml');
  const put = (more: string): void =>
    writeFileSync(file, `data: data\nhttp: 127.0.0.1:0\napis: ids\nauth: none\n${more}`);
  put('threatsBytes: 1GiB\n');
  const shown = await run(['serve', '--config', file, '--print-config']);
  expect(shown.stdout).toContain(`threatsBytes: 1GiB  # ${file}:5\n`);
  expect(shown.stdout).toMatch(/^evidenceAge: 30d {2}# default$/m);
  await using server = await serve(['--config', file]);
  const budgetOf = async (name: string): Promise<string | undefined> => {
    const text = await (await fetch(`${server.ready.http}/metrics`)).text();
    return new RegExp(`^palisade_records_budget_bytes\\{budget="${name}"\\} (\\d+)$`, 'm').exec(text)?.[1];
  };
  expect(await budgetOf('threats')).toBe(String(2 ** 30));
  put('threatsBytes: 2GiB\ntrafficAge: 1d\n');
  expect(await reload(server, 'configuration reloaded')).toMatchObject({applied: ['threatsBytes', 'trafficAge']});
  expect(await budgetOf('threats')).toBe(String(2 ** 31));
  expect(await server.stop()).toBe(0);
});

test('43-5 --print-config starts nothing; faults of file and flags end it with 2, as they end the server', async () => {
  using folder = scratch();
  const file = join(folder.dir, 'palisade.yaml');
  writeFileSync(file, 'auth: none\ndata: data\ndriver: relay\n');
  const shown = await run(['serve', '--config', file, '--print-config', '--log-level', 'warn']);
  expect(shown).toMatchObject({code: 0, stderr: ''});
  expect(shown.stdout).toContain(`data: ${folder.dir}/data  # ${file}:2\n`);
  expect(shown.stdout).toContain('logLevel: warn  # flag --log-level\n');
  const env = {PALISADE_CONFIG: file};
  const {stdout} = await run(['serve', '--print-config', '--json'], {env});
  expect(JSON.parse(stdout)).toMatchObject({driver: {value: 'relay', origin: `${file}:3`}});
  expect(existsSync(join(folder.dir, 'data'))).toBe(false);
  writeFileSync(file, 'auth: none\ndata: data\ndriver: realy\n');
  for (const words of [[], ['--print-config']]) {
    const refused = await run(['serve', '--config', file, '--endpoint-pool', 'x', ...words]);
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain(`palisade: ${file}:3:9: driver realy: must be one of auto, afpacket`);
    expect(refused.stderr).toContain('palisade: --endpoint-pool x: must be');
  }
  const absent = await run(['serve', '--config', join(folder.dir, 'x.yaml'), '--json']);
  expect(absent.code).toBe(2);
  expect(absent.stderr).toContain('x.yaml: cannot be read: no such file; check the path\n');
  expect(absent.stderr).toContain('--json is for --print-config: use both, or leave it out\n');
});

test('43-5 a file that the configuration names and that cannot be used is reported with its key', async () => {
  using folder = scratch();
  const file = join(folder.dir, 'palisade.yaml');
  writeFileSync(file, 'data: data\nhttps: 127.0.0.1:0\ntokenAuthFile: tokens.csv\n');
  const refused = await run(['serve', '--config', file]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    `palisade: ${file}:3:16: tokenAuthFile ${folder.dir}/tokens.csv: cannot be read: no such file; check the path\n`,
  );
});

test('43-5 words, variables and files of rule sets that cannot be used are all named with their place before anything starts', async () => {
  using folder = scratch();
  const file = join(folder.dir, 'palisade.yaml');
  writeFileSync(join(folder.dir, 'a.rules'), 'alert tcp any any -> any any (msg:"m"; content:"x"; sid:1;)\n');
  const put = (lists: string, more: string): void =>
    writeFileSync(
      file,
      `auth: none\ndata: data\nhttp: 127.0.0.1:0\ndriver: relay\nruleSets:\n  - {name: default, sources: [{at: a.rules${lists}}]}\n${more}`,
    );
  const faultsOf = async (code: number): Promise<string[]> => {
    const refused = await run(['serve', '--config', file]);
    expect([refused.code, refused.stdout, existsSync(join(folder.dir, 'data'))]).toEqual([code, '', false]);
    const lines = refused.stderr.split('\n').filter(line => line.startsWith(`palisade: ${file}:`));
    return lines.map(line => line.slice(`palisade: ${file}:`.length));
  };
  put(
    ', disable: [no], modify: [{match: 1, from: "(", to: x}]',
    'endpoints: [{match: projects/-/locations/-/endpoints/web, vars: {DNS_SERVERS: here, HOME_NET: any}}]\n',
  );
  expect(await faultsOf(2)).toEqual([
    expect.stringMatching(/^6:\d+: ruleSets\[0\]\.sources\[0\]\.disable\[0\] no: must be SID, /),
    expect.stringMatching(/^6:\d+: ruleSets\[0\]\.sources\[0\]\.modify\[0\]\.from \(: not a regular expression/),
    expect.stringMatching(/^7:\d+: endpoints\[0\]\.vars\.DNS_SERVERS: "here" is not a value: it must be addresses/),
    expect.stringMatching(/^7:\d+: endpoints\[0\]\.vars\.HOME_NET: your networks are set with --home-net$/),
  ]);
  put('', '  - {name: lab, sources: [{at: none.rules}], thresholdFiles: [none.config]}\n');
  expect(await faultsOf(1)).toEqual([
    expect.stringMatching(/^6:3: ruleSets: rule set "lab": Rule file \S+\/none\.rules: no such file; check the path$/),
    expect.stringMatching(/^6:3: ruleSets: rule set "lab": \S+\/none\.config: no such file$/),
  ]);
});

const hasSuricata = (): boolean => {
  try {
    execFileSync('suricata', ['-V'], {stdio: 'ignore'});
    return true;
  } catch {
    return false;
  }
};

describe.skipIf(!hasSuricata())(`rules${hasSuricata() ? '' : ' (skipped: suricata is not installed)'}`, () => {
  const rule = (sid: number, word = 'content'): string =>
    `alert tcp any any -> any any (msg:"m"; ${word}:"x"; sid:${sid};)\n`;

  test('44-6 SIGHUP applies the sample of flows', async () => {
    using folder = scratch();
    const file = join(folder.dir, 'palisade.yaml');
    const put = (more: string): void =>
      writeFileSync(file, `auth: none\ndata: data\nhttp: 127.0.0.1:0\ndriver: relay\n${more}`);
    put('');
    await using server = await serve(['--config', file]);
    put('trafficSample: 10\n');
    const reloaded = await reload(server, 'configuration reloaded');
    expect(reloaded).toMatchObject({applied: ['trafficSample'], needsRestart: []});
    expect(await server.stop()).toBe(0);
  });

  test('43-5 SIGHUP applies rule sets, bindings and retention; a refused set is named and leaves the previous one', async () => {
    using folder = scratch();
    const file = join(folder.dir, 'palisade.yaml');
    mkdirSync(join(folder.dir, 'rules'));
    writeFileSync(join(folder.dir, 'rules/a.rules'), rule(1) + rule(2));
    writeFileSync(join(folder.dir, 'rules/b.rules'), rule(3));
    const put = (more: string): void =>
      writeFileSync(file, `auth: none\ndata: data\nhttp: 127.0.0.1:0\ndriver: relay\nrulesStrict: true\n${more}`);
    const base = 'ruleSets:\n  - {name: default, sources: [{at: rules/a.rules}]}\n';
    put(base);
    await using server = await serve(['--config', file]);
    const strict = '  - {name: strict, sources: [{at: rules/b.rules}]}\n';
    put(`${base}${strict}ruleBindings: [{set: strict, location: local}]\nthreatsAge: 7d\nhomeNet: [10.0.0.0/8]\n`);
    expect(await reload(server, 'configuration reloaded')).toMatchObject({
      applied: ['threatsAge', 'ruleSets', 'ruleBindings'],
      needsRestart: ['homeNet'],
    });
    expect(linesOf(server.stderr()).filter(({msg}) => msg === 'rule set reloaded')).toMatchObject([
      {rules: 2},
      {rules: 1, set: 'strict'},
    ]);
    writeFileSync(join(folder.dir, 'rules/c.rules'), rule(4, 'contentx'));
    put(`${base}${strict.replace('b.rules', 'c.rules')}`);
    const partly = await reload(server, 'configuration reloaded in part');
    expect(partly).toMatchObject({failed: ['ruleSets', 'ruleBindings']});
    const refused = linesOf(server.stderr()).find(({msg}) => msg.startsWith('rule set reload failed'));
    expect(refused?.msg).toContain('rule set "strict"');
    expect(await server.stop()).toBe(0);
  });
});
