// SPDX-License-Identifier: Apache-2.0
/** What goes wrong on a machine: each has a message that says what it is and what to do. */
import {existsSync, readdirSync, readFileSync, renameSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {BUNDLED_RULES} from '@palisade/sensor';
import {describe, expect, test} from 'vitest';
import {countsOf, freeze, Lab, type LabFailure, LabFolder, newSpec, skipReason, whyNot} from './lab/lab.ts';
import {distinctHits, hit, SEVERITY_RULES} from './lab/rules.ts';

const LIMIT_MS = 10_000;
const failureOf = async (work: Promise<unknown>): Promise<LabFailure> => {
  try {
    await work;
  } catch (error) {
    return error as LabFailure;
  }
  throw new Error('it did not fail');
};
const PASS_V = 'case "$*" in -V|*-T*) exec suricata "$@";; esac';

describe.skipIf(whyNot !== undefined)(`faults of a machine${skipReason}`, () => {
  test('Suricata missing: the host is there and says how to get it; no endpoint starts', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const suricata = join(folder.path, 'none');
    const {unavailable} = await lab.ask('create', folder.options({rules: BUNDLED_RULES, suricata}));
    expect(unavailable).toBe(
      `Suricata is not installed (no program at ${suricata}): install the package "suricata" (Debian 12: from bookworm-backports) and start again`,
    );
    expect(await failureOf(lab.ask('start', newSpec()))).toMatchObject({code: 'engine-missing', message: unavailable});
  });

  test('Suricata too old', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const suricata = folder.file('old', '#!/bin/sh\necho "This is Suricata version 6.0.10 RELEASE"\n', 0o755);
    const {unavailable} = await lab.ask('create', folder.options({rules: BUNDLED_RULES, suricata}));
    expect(unavailable).toContain(`Suricata 6.0.10 (${suricata}) is too old: 7.0 or newer is needed`);
  });

  test('rule files that are missing are all named', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask(
      'create',
      folder.options({rules: ['/no/a.rules', folder.file('ok.rules', SEVERITY_RULES), '/no/b.rules']}),
    );
    const failure = await failureOf(lab.ask('ready'));
    expect(failure).toMatchObject({
      code: 'rule-file',
      message:
        'Rule file /no/a.rules: no such file; check the path; rule file /no/b.rules: no such file; check the path',
    });
    expect(await lab.ask('unavailable')).toBe(failure.message);
  });

  test('rule errors at the first start: every one with file, line and reason', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const one = folder.file(
      'one.rules',
      'alert tcp any any -> any any (msg:"a"; content:"x"; sid:1;)\n\nalert tcp any any -> any any (msg:"b"; contentx:"x"; sid:2;)\n',
    );
    const two = folder.file(
      'two.rules',
      'alert udp any any -> any any (msg:"c"; sid:1;)\nalert udp any any -> any 9 (msg:"d";)\n',
    );
    await lab.ask('create', folder.options({rules: [one, two]}));
    const failure = await failureOf(lab.ask('start', newSpec()));
    expect(failure.code).toBe('rule-error');
    expect(failure.faults?.map(({file, line, reason}) => ({file, line, reason}))).toEqual([
      {file: one, line: 3, reason: "unknown rule keyword 'contentx'"},
      {file: two, line: 1, reason: expect.stringContaining('Duplicate signature')},
      {file: two, line: 2, reason: 'Signature missing required value "sid"'},
    ]);
    expect(failure.message).toMatch(
      /^3 of 4 rules are refused: 25 % of the rules load, at least 90 % are required; rule 2 of .*one\.rules \(line 3\): unknown rule keyword/,
    );
  });

  test('rules that write files or run code on the host are refused', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const text = [
      'alert http any any -> any any (msg:"a"; filestore; sid:1;)',
      'alert dns any any -> any any (msg:"b"; dns.query; dataset:set,seen,type string,save /tmp/x.lst; sid:2;)',
      'alert tcp any any -> any any (msg:"c"; lua:x.lua; sid:3;)',
    ].join('\n');
    await lab.ask('create', folder.options({rules: [folder.file('w.rules', text)]}));
    const failure = await failureOf(lab.ask('ready'));
    expect(failure.faults?.map(fault => [fault.line, /"(\w+)"/.exec(fault.reason)?.[1]])).toEqual([
      [1, 'filestore'],
      [2, 'dataset'],
      [3, 'lua'],
    ]);
  });

  test('beside such a rule, what Suricata refuses in the same files is told too, and all of it in order', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const one = folder.file(
      'one.rules',
      [
        'alert tcp any any -> any any (msg:"a"; contentx:"x"; sid:1;)',
        'alert tcp any any -> any any (msg:"b"; \\',
        ' lua:x.lua; sid:2;)',
        'alert tcp any any -> any any (msg:"c"; content:"x"; sid:3;)',
        'alert udp any any -> any 9 (msg:"d";)',
      ].join('\n'),
    );
    const two = folder.file('two.rules', 'alert http any any -> any any (msg:"e"; filestore; sid:4;)\n');
    await lab.ask('create', folder.options({rules: [one, two]}));
    const failure = await failureOf(lab.ask('ready'));
    expect(failure.faults?.map(({file, line, reason}) => [file, line, reason.slice(0, 12)])).toEqual([
      [one, 1, 'unknown rule'],
      [one, 2, '"lua" runs c'],
      [one, 5, 'Signature mi'],
      [two, 1, '"filestore" '],
    ]);
    expect(readdirSync(join(folder.path, 'data/rulesets'))).toEqual([]);
  });

  test('a rule file without a rule', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rule = 'alert tcp any any -> any any (msg:"a"; lua:x.lua; sid:1;)';
    const skipped = ['#', ' ', '\t', '\r'].map(first => first + rule);
    await lab.ask('create', folder.options({rules: [folder.file('empty.rules', skipped.join('\n'))]}));
    expect(await failureOf(lab.ask('ready'))).toMatchObject({
      code: 'no-rules',
      message: expect.stringMatching(
        /an endpoint without rules would detect nothing \(Suricata skips 2 indented rules, the first in .*, line 2; remove the indentation\)$/,
      ),
    });
  });

  test('Suricata skips the lines that we skip, and no others', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const lines = Array.from({length: '0'.charCodeAt(0) - 1}, (_, at) => String.fromCharCode(at + 1))
      .filter(first => first !== '\n')
      .map(first => `${first}a`);
    await lab.ask('create', folder.options({rules: [folder.file('first.rules', lines.join('\n'))]}));
    const {faults = []} = await failureOf(lab.ask('ready'));
    const told = new Set(faults.map(({line}) => line));
    expect(lines.filter((_, at) => !told.has(at + 1)).map(line => line[0])).toEqual(['\t', '\r', ' ', '#']);
  });

  test('a rule error at a later start leaves the previous set of the same files active, and the health says so', async () => {
    using folder = new LabFolder();
    const rules = folder.file('my.rules', SEVERITY_RULES);
    {
      await using first = new Lab();
      await first.ask('create', folder.options({rules: [rules]}));
      await first.ask('ready');
    }
    folder.file('my.rules', 'alert tcp any any -> any any (msg:"x"; nonsense; sid:9;)\n');
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [rules]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await lab.send(spec, [hit('one')]);
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
    expect(await lab.health(spec)).toMatchObject({
      status: 'READY',
      rulesLoaded: 8,
      reasons: [expect.stringContaining(`rule 1 of ${rules} (line 1): unknown rule keyword 'nonsense'`)],
    });
  });

  test('a rule set is verified once per version, not per endpoint or start', async () => {
    using folder = new LabFolder();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    const suricata = folder.file(
      'counts',
      `#!/bin/sh\ncase "$*" in *-T*) echo x >&2; echo verified >> ${folder.path}/verified;; esac\nexec suricata "$@"\n`,
      0o755,
    );
    folder.file('verified', '', 0o666);
    for (let turn = 0; turn < 2; turn++) {
      await using lab = new Lab();
      await lab.ask('create', folder.options({rules, suricata}));
      await lab.ask('start', newSpec());
      await lab.ask('start', newSpec());
    }
    expect(readFileSync(join(folder.path, 'verified'), 'utf8')).toBe('verified\n');
  });

  test('an address that another program holds, and one that the host does not answer', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const taken = await failureOf(lab.ask('start', newSpec({ip: spec.ip})));
    expect(taken).toMatchObject({
      code: 'address',
      message: `UDP 4789 (VXLAN) at ${spec.ip} is in use by another program: stop it, or use another endpoint pool`,
    });
    const foreign = await failureOf(lab.ask('start', newSpec({ip: '192.0.2.1'})));
    expect(foreign).toMatchObject({
      code: 'address',
      message:
        'UDP 4789 (VXLAN) at 192.0.2.1: the address is not on this host; choose an endpoint pool with addresses of this host',
    });
    expect(await lab.ask('endpoints')).toEqual([spec.endpoint]);
    expect(readdirSync(join(folder.path, 'data', 'endpoints'))).toHaveLength(1);
  });

  test('Suricata that ends at once: its last words are in the error (configuration gone)', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const suricata = folder.file('noconf', `#!/bin/sh\n${PASS_V}\nrm -f suricata.yaml\nexec suricata "$@"\n`, 0o755);
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], suricata}));
    const failure = await failureOf(lab.ask('start', newSpec()));
    expect(failure.code).toBe('start-failed');
    expect(failure.message).toMatch(
      /^Suricata ended before it was ready: exit code 1: .*failed to open file: suricata\.yaml/,
    );
  });

  test('Suricata that runs with no rule is not READY', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const suricata = folder.file('norules', `#!/bin/sh\n${PASS_V}\nrm -f 00-*.rules\nexec suricata "$@"\n`, 0o755);
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], suricata}));
    const failure = await failureOf(lab.ask('start', newSpec()));
    expect(failure).toMatchObject({
      code: 'no-rules',
      message: expect.stringContaining('Suricata runs but loaded no rule'),
    });
  });

  test('a disk that is full is told in the health, with what it costs', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const line =
      '{"log_level":"Error","event_type":"engine","engine":{"message":"No space left on device error while writing to eve.json"}}';
    const suricata = folder.file(
      'full',
      `#!/bin/sh\n${PASS_V}\n(sleep 1; echo '${line}' >&2) &\nexec suricata "$@"\n`,
      0o755,
    );
    await lab.ask(
      'create',
      folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], suricata, limits: {watchMs: 60_000}}),
    );
    const spec = newSpec();
    await lab.ask('start', spec);
    await lab.ask('until', {status: 'DEGRADED', endpoint: spec.endpoint}, LIMIT_MS);
    expect((await lab.health(spec)).reasons[0]).toMatch(
      /^disk full: No space left on device.*alerts are being lost until there is space/,
    );
  });

  test('too little free disk space is told before it is full', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const limits = {watchMs: 50, diskFloorBytes: 2 ** 60};
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], limits}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await lab.ask('until', {status: 'DEGRADED', endpoint: spec.endpoint}, LIMIT_MS);
    expect((await lab.health(spec)).reasons[0]).toMatch(/^disk nearly full: \d+ MiB free/);
  });

  test('below the floor of free disk space traffic logs stop first, counted and told; threat logs go on', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const limits = {watchMs: 50, diskFloorBytes: 2 ** 60};
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], limits}));
    const spec = newSpec({trafficLogs: true});
    await lab.ask('start', spec);
    await lab.send(spec, distinctHits(20, 42));
    await lab.ask('until', {alerts: 20}, LIMIT_MS);
    expect((await lab.health(spec)).reasons[0]).toContain(
      'MiB free where the events are written; traffic logs are stopped so that threat logs continue; free space',
    );
    await lab.ask('stop', spec.endpoint); // at its end Suricata writes all flows
    const {threats, traffic} = await lab.ask('records');
    expect([threats.length, traffic]).toEqual([20, []]);
    expect((await lab.ask('logs')).find(line => line.message.startsWith('disk nearly full'))).toMatchObject({
      level: 'error',
      fields: {endpoint: spec.endpoint},
    });
  });

  test('a Suricata that cannot be told to reopen its log is asked again until it does; every alert is counted once', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const limits = {eveRotateBytes: 50_000, watchMs: 50, eveRotateRetryFirstMs: 50, eveRotateRetryMostMs: 200};
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], limits}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const place = join(folder.path, 'data', 'endpoints');
    const socket = join(place, readdirSync(place)[0] ?? '', 'command.socket');
    renameSync(socket, `${socket}.away`);
    await lab.send(spec, distinctHits(400, 43), 3000);
    await lab.ask(
      'until',
      {reason: /^the event file cannot be rotated and grows \([2-9] tries\): /.source, endpoint: spec.endpoint},
      LIMIT_MS,
    );
    await lab.send(spec, distinctHits(400, 44), 3000); // into the file that was moved aside
    await lab.ask('until', {alerts: 800}, LIMIT_MS);
    expect(await lab.health(spec)).toMatchObject({status: 'READY', restarts: 0});
    renameSync(`${socket}.away`, socket);
    await lab.ask('until', {logged: 'EVE file rotated'}, LIMIT_MS);
    await lab.send(spec, distinctHits(10, 45));
    await lab.ask('until', {alerts: 810}, LIMIT_MS);
    expect((await lab.health(spec)).reasons).toEqual([]);
    expect(readdirSync(join(socket, '..')).filter(name => name.startsWith('eve.')).length).toBeLessThan(3);
    const tries = (await lab.ask('logs')).filter(line => line.message.startsWith('EVE file rotation failed'));
    expect(tries.length).toBeGreaterThan(1);
    await lab.ask('stop', spec.endpoint);
    expect(countsOf(await lab.ask('records'))).toEqual({'1:1': 810});
  });

  test('packets that wait for a Suricata that is down are dropped by a stop, counted, and shown after the next start', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    const limits = {restartFirstMs: 60_000, restartMostMs: 60_000, exitTimeoutMs: 1000, commitRetryFirstMs: 50};
    await lab.ask('create', folder.options({rules, limits}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await lab.send(spec, [hit('one')]);
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
    process.kill((await lab.health(spec)).pid ?? 0, 'SIGKILL');
    await lab.ask('until', {status: 'DEGRADED', endpoint: spec.endpoint}, LIMIT_MS);
    await lab.send(spec, distinctHits(70, 46));
    await lab.ask('until', {received: 71, endpoint: spec.endpoint}, LIMIT_MS);
    await lab.ask('close');
    const drops = (await lab.ask('logs')).find(line => line.message.startsWith('packets dropped at the stop'));
    expect(drops).toMatchObject({level: 'warn', fields: {endpoint: spec.endpoint, dropped: 70}});
    await using next = new Lab();
    await next.ask('create', folder.options({rules}));
    await next.ask('start', spec);
    const {packets} = await next.health(spec);
    const {crash} = packets.drops; // what the dead process had perhaps not inspected: the first packet, or none
    expect(crash).toBeLessThanOrEqual(1);
    expect(packets).toMatchObject({received: 71, dropped: 70 + crash, drops: {stop: 70}, malformed: 0, foreignVni: 0});
  });

  test('packets that a hanging Suricata left in the pipe and the queue are counted at the stop', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const limits = {exitTimeoutMs: 300};
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], limits}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await freeze((await lab.health(spec)).pid ?? 0);
    await lab.send(spec, distinctHits(3000, 47), 10_000); // more than the pipe holds
    await lab.ask('stop', spec.endpoint);
    const drops = (await lab.ask('logs')).find(line => line.message.startsWith('packets dropped at the stop'));
    expect(drops?.fields).toMatchObject({dropped: 3000});
  });

  test('Suricata is uninstalled under a running sensor: FAILED after some tries, READY when it is back', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const suricata = folder.file('comesback', '#!/bin/sh\nexec suricata "$@"\n', 0o755);
    const limits = {restartFirstMs: 20, restartMostMs: 50};
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], suricata, limits}));
    const spec = newSpec();
    await lab.ask('start', spec);
    rmSync(suricata);
    process.kill((await lab.health(spec)).pid ?? 0, 'SIGKILL');
    await lab.ask('until', {status: 'FAILED', endpoint: spec.endpoint}, LIMIT_MS);
    expect((await lab.health(spec)).reasons[0]).toMatch(
      /^Suricata has been down since .* and cannot be restarted: .*(failed to execute .*comesback: No such file|cannot run .*comesback: ENOENT)/,
    );
    await lab.send(spec, [hit('one')]);
    folder.file('comesback', '#!/bin/sh\nexec suricata "$@"\n', 0o755);
    await lab.ask('until', {status: 'READY', endpoint: spec.endpoint, restarts: 1}, LIMIT_MS);
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
  });

  test('F-08 packets that the queue cannot hold: DEGRADED at once with the figure and the way out, READY a while after', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const limits = {queueBytesMax: 20_000, watchMs: 50, lossWindowMs: 1_000};
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], limits}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const {pid = 0} = await lab.health(spec);
    await freeze(pid);
    const load = lab.send(spec, distinctHits(3000, 41), 3000);
    await lab.ask('until', {status: 'DEGRADED', endpoint: spec.endpoint}, LIMIT_MS);
    const {reasons, packetLossRatio} = await lab.health(spec);
    expect(reasons[0]).toMatch(
      /^packets dropped: \d+\.\d % of the last 1 s \(\d+ of \d+\), most of them waiting for Suricata: start the server with --driver afpacket, which this process may use, mirror less traffic, use fewer rules, or give Suricata more processor time \(this host has \d+ cores?\)$/,
    );
    expect(packetLossRatio).toBeGreaterThan(0.01);
    await load;
    process.kill(pid, 'SIGCONT');
    await lab.ask('until', {status: 'READY', endpoint: spec.endpoint}, LIMIT_MS);
    expect(await lab.health(spec)).toMatchObject({reasons: [], packetLossRatio: 0});
    await lab.ask('stop', spec.endpoint);
    expect(existsSync(join(folder.path, 'data', 'endpoints'))).toBe(true);
  });

  test('F-08 packets that Suricata has no memory for are dropped packets, too', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const small =
      's/flow: {memcap: 128mb, hash-size: 65536, prealloc: 1000/flow: {memcap: 40kb, hash-size: 64, prealloc: 10/';
    const suricata = folder.file(
      'forgets',
      `#!/bin/sh\n${PASS_V}\nsed -i "${small}" suricata.yaml\nexec suricata "$@"\n`,
      0o755,
    );
    const limits = {watchMs: 50};
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], suricata, limits}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await lab.send(spec, distinctHits(3000, 41), 2000);
    await lab.ask('until', {status: 'DEGRADED', endpoint: spec.endpoint}, 2 * LIMIT_MS);
    expect((await lab.health(spec)).reasons[0]).toMatch(
      /^packets dropped: \d+\.\d % of the last 60 s .* in Suricata, which has no memory left for flows: /,
    );
  });

  test('F-08 packets that are cut short are told as such', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const limits = {watchMs: 50};
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], limits}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await lab.send(
      spec,
      distinctHits(100, 41).map(frame => frame.subarray(0, 30)),
    );
    await lab.ask(
      'until',
      {reason: '^packets that Suricata cannot decode: 100.0 % ', endpoint: spec.endpoint},
      2 * LIMIT_MS,
    );
    expect((await lab.health(spec)).status).toBe('DEGRADED');
  });
});
