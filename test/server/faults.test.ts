// SPDX-License-Identifier: Apache-2.0
/** What a user gets wrong, or a machine lacks: each has a message that says what and what to do, and loses nothing. */
import {once} from 'node:events';
import {chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {connect} from 'node:net';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {crc32} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import {PALISADE, quiet, run, scratch, serve} from '../support/palisade.ts';

const create = (server: string, name: string) =>
  fetch(`${server}/api/v1/namespaces/default/endpoints`, {
    method: 'POST',
    headers: {'content-type': 'application/json'},
    body: JSON.stringify({metadata: {name}, subsets: [{addresses: [{ip: '10.0.0.1'}]}]}),
  });
const names = async (server: string): Promise<string[]> => {
  const list = (await (await fetch(`${server}/api/v1/endpoints`)).json()) as {items: {metadata: {name: string}}[]};
  return list.items.map(item => item.metadata.name);
};

/** A stand-in for the Suricata program that answers `-V` with a version and nothing else. */
const fakeSuricata = (dir: string, version: string): string => {
  const bin = join(dir, 'bin');
  mkdirSync(bin, {recursive: true});
  writeFileSync(join(bin, 'suricata'), `#!/bin/sh\necho "This is Suricata version ${version} RELEASE"\n`);
  chmodSync(join(bin, 'suricata'), 0o755);
  return bin;
};

describe('serve', () => {
  test('keeps what was written over SIGTERM and over kill -9, and ends with 0 on SIGTERM', async () => {
    using folder = scratch();
    const first = await serve(quiet(folder.dir));
    expect((await create(first.ready.http, 'a')).status).toBe(201);
    expect(await first.stop('SIGTERM')).toBe(0);
    const second = await serve(quiet(folder.dir));
    expect((await create(second.ready.http, 'b')).status).toBe(201);
    await second.stop('SIGKILL');
    await using third = await serve(quiet(folder.dir));
    expect(await names(third.ready.http)).toEqual(['a', 'b']);
  });

  test('43-7 a user that no Suricata can run with is refused at the start, with the way out', async () => {
    using folder = scratch();
    const refusal = async (...flags: readonly string[]): Promise<unknown> => {
      const {code, stderr} = await run(['serve', ...quiet(folder.dir), ...flags]);
      return [code, stderr.trim().split('\n').at(-1)];
    };
    expect(await refusal('--sensor-user', 'no-such-user-here')).toEqual([
      1,
      'palisade: --sensor-user no-such-user-here: no such user: create it, name another one, or give UID:GID',
    ]);
    expect(await refusal('--sensor-user', 'root')).toEqual([
      1,
      'palisade: --sensor-user root: Suricata must not run with the rights of root: name an unprivileged user',
    ]);
  });

  test.each(['/api/v1/namespaces/default/endpoints', '/v1/projects/p/locations/local/endpoints'])(
    'a client that breaks off what it sends to %s is no error in the log',
    async path => {
      using folder = scratch();
      await using server = await serve(quiet(folder.dir));
      const {hostname, port} = new URL(server.ready.http);
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999\r\nExpect: 100-continue\r\n\r\n`,
      );
      await once(socket, 'data'); // told to go on
      socket.write('{"metadata":');
      socket.resetAndDestroy();
      await once(socket, 'close');
      expect(await server.stop('SIGTERM')).toBe(0);
      expect(server.stderr()).not.toContain('"level":50');
    },
  );

  test('a pool of addresses that this host does not answer is told at the start, with the way out', async () => {
    using folder = scratch();
    await using server = await serve([...quiet(folder.dir), '--endpoint-pool', '192.0.2.5/28']);
    expect(server.stderr()).toMatch(
      /"level":40.*"addresses":\["192\.0\.2\.1","192\.0\.2\.14"\].*--endpoint-pool 192\.0\.2\.0\/28.*ip route add local 192\.0\.2\.0\/28 dev lo/,
    );
  });

  test('E-045 a --compat mode that the data does not bear is refused without a stack, with the objects and the way out; a change is logged', async () => {
    using folder = scratch();
    const args = ['serve', '--data', folder.dir, '--http', '127.0.0.1:0', '--auth', 'none', '--apis', 'kubernetes'];
    const before = await serve([...args.slice(1), '--compat', 'kubernetes']);
    const both = {addresses: [{ip: '10.0.0.1'}], notReadyAddresses: [{ip: '10.0.0.1'}], ports: [{port: 80}]};
    const path = `${before.ready.http}/api/v1/namespaces/default/endpoints`;
    for (const name of ['one', 'two']) {
      const body = JSON.stringify({metadata: {name}, subsets: [both]});
      await fetch(path, {method: 'POST', headers: {'content-type': 'application/json'}, body});
    }
    await before.stop('SIGTERM');
    const refused = await run(args);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^palisade: stored objects are invalid with --compat spec:$/m);
    expect(refused.stderr).toMatch(/^palisade: {3}endpoints default\/one: .*10\.0\.0\.1/m);
    expect(refused.stderr).toMatch(/^palisade: {3}endpoints default\/two: /m);
    expect(refused.stderr).toMatch(/^palisade: start with --compat kubernetes again/m);
    expect(refused.stderr).not.toContain('.ts:');
    const again = await serve([...args.slice(1), '--compat', 'kubernetes']);
    await fetch(`${again.ready.http}/api/v1/namespaces/default/endpoints`, {method: 'DELETE'});
    await again.stop('SIGTERM');
    await using changed = await serve(args.slice(1));
    expect(changed.stderr()).toMatch(/"from":"kubernetes","to":"spec","msg":"compat mode of the data changed/);
    expect(again.stderr()).not.toContain('compat mode of the data changed');
  });

  test('a value that no server wrote ends the start without a stack, named by its key, and never with an advice to try again', async () => {
    using folder = scratch();
    const before = await serve(quiet(folder.dir));
    await create(before.ready.http, 'a');
    await before.stop('SIGTERM');
    const database = new DatabaseSync(join(folder.dir, 'data', 'store.sqlite'));
    const key = '/kube/core/endpoints/default/a';
    const value = Buffer.from('{}');
    const row = database.prepare('SELECT id, previous, created FROM change WHERE key = ?').get(key);
    const sum = crc32(value, crc32(`${row?.['id']} ${row?.['previous']} ${row?.['created']} ${key}`));
    database.prepare('UPDATE change SET value = ?, sum = ? WHERE key = ?').run(value, sum, key);
    database.close();
    const {code, stderr} = await run(['serve', ...quiet(folder.dir)]);
    expect(code).toBe(1);
    const said = stderr.split('\n').filter(line => line.startsWith('palisade:'));
    expect(said).toEqual([expect.stringMatching(/value of \/kube\/core\/endpoints\/default\/a at .* from a backup$/)]);
    expect(stderr).not.toContain('restart the server');
  });

  test('a port in use is named with its flag, and the folders that the start made are gone', async () => {
    using folder = scratch();
    await using server = await serve(quiet(folder.dir));
    const address = new URL(server.ready.http).host;
    for (const flags of [
      ['--http', address],
      ['--http', '127.0.0.1:0', '--https', address],
    ]) {
      const data = join(folder.dir, 'other/data');
      const other = await run(['serve', '--data', data, ...flags, '--auth', 'none', '--log-level', 'silent']);
      expect(other.code).toBe(1);
      expect(other.stderr).toContain(`${flags.at(-2)} ${address}: the port is in use`);
      expect(readdirSync(folder.dir)).toEqual(['data']);
    }
  });

  test('a start with bad rules takes the folder that it made away again, and leaves one that was there before', async () => {
    using folder = scratch();
    const rules = join(folder.dir, 'my.rules');
    writeFileSync(rules, 'alert nonsense\n');
    const start = (data: string) =>
      run(['serve', '--data', data, '--http', '127.0.0.1:0', '--auth', 'none', '--rules', rules]);
    const made = join(folder.dir, 'made');
    expect((await start(made)).code).toBe(1);
    expect(existsSync(made)).toBe(false);
    mkdirSync(made);
    expect((await start(made)).code).toBe(1);
    expect(existsSync(join(made, 'store.sqlite'))).toBe(true);
  });

  test('all files and folders that it is given and cannot use are named at once, and nothing is left', async () => {
    using folder = scratch();
    const at = (name: string): string => join(folder.dir, name);
    const [file, missing] = [at('tokens.csv'), at('missing')];
    writeFileSync(file, 'no PEM\n');
    const address = ['--http', '127.0.0.1:0', '--https', '127.0.0.1:0', '--log-level', 'silent'];
    const named = ['--tls-cert', file, '--tls-key', missing, '--token-auth-file', missing, '--rules', missing];
    const said = [
      `--token-auth-file ${missing}: cannot be read: no such file; check the path`,
      `--tls-cert ${file}: contains no certificate in PEM form (-----BEGIN CERTIFICATE-----)`,
      `--tls-key ${missing}: cannot be read: no such file; check the path`,
      `--rules: Rule file ${missing}: no such file; check the path`,
    ];
    const asLines = (lines: readonly string[]): string => lines.map(line => `palisade: ${line}\n`).join('');
    const made = await run(['serve', '--data', at('data'), ...address, ...named]);
    expect([made.code, made.stderr]).toEqual([1, asLines(said)]);
    expect(readdirSync(folder.dir)).toEqual(['tokens.csv']);
    const inPlace = `--data ${file}: a file has this path; choose a folder that this user may write`;
    const none = await run(['serve', '--data', file, ...address, ...named]);
    expect([none.code, none.stderr]).toEqual([1, asLines(said.toSpliced(1, 0, inPlace))]);
  });

  test('a second server on the same data folder is refused, and the first one goes on', async () => {
    using folder = scratch();
    await using server = await serve(quiet(folder.dir));
    const other = await run(['serve', ...quiet(folder.dir)]);
    expect(other.code).toBe(1);
    expect(other.stderr).toMatch(/another server .*is using it/);
    expect((await create(server.ready.http, 'still')).status).toBe(201);
  });

  test('a data folder of a newer version is refused and left as it is', async () => {
    using folder = scratch();
    await (await serve(quiet(folder.dir))).stop();
    const file = join(folder.dir, 'data/store.sqlite');
    const db = new DatabaseSync(file);
    db.exec("PRAGMA user_version = 99; INSERT INTO formats VALUES (99, '0.9.0')");
    db.close();
    const before = readFileSync(file);
    const refused = await run(['serve', ...quiet(folder.dir)]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'written by palisade 0.9.0 in format 99; this is palisade 0.1.0, which reads up to 1',
    );
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('a file that is no database is refused and left as it is', async () => {
    using folder = scratch();
    mkdirSync(join(folder.dir, 'data'));
    const file = join(folder.dir, 'data/store.sqlite');
    writeFileSync(file, 'not a database, but somebody needs it\n'.repeat(200));
    const before = readFileSync(file);
    const refused = await run(['serve', ...quiet(folder.dir)]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(file);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('unknown flags and commands end with 2 and name the nearest', async () => {
    expect(await run(['serve', '--auht', 'none'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean "--auth"?'),
    });
    expect(await run(['srve'])).toMatchObject({code: 2, stderr: expect.stringContaining('did you mean "serve"?')});
  });

  test('a command in a folder that is gone is one line', async () => {
    using folder = scratch();
    const gone = join(folder.dir, 'gone');
    mkdirSync(gone);
    const words = ['-c', `cd '${gone}' && rmdir '${gone}' && exec '${PALISADE}' version`];
    const {code, stdout, stderr} = await run(words, {command: '/bin/bash'});
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('palisade: the working folder was deleted; change to another folder\n');
    expect(stderr).not.toContain('node:internal');
  });

  test('X-001 each side works with the other switched off', async () => {
    using folder = scratch();
    await using kube = await serve([...quiet(join(folder.dir, 'k')), '--apis', 'kubernetes']);
    expect((await create(kube.ready.http, 'a')).status).toBe(201);
    expect((await fetch(`${kube.ready.http}/v1/projects/p/locations`)).status).toBe(404);
    await using ids = await serve([...quiet(join(folder.dir, 'i')), '--apis', 'ids']);
    expect((await fetch(`${ids.ready.http}/v1/projects/p/locations`)).status).toBe(200);
    expect((await fetch(`${ids.ready.http}/api/v1/endpoints`)).status).toBe(404);
    expect((await fetch(`${ids.ready.http}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${ids.ready.http}/metrics`)).text()).toContain('palisade_sensor_packets_received_total');
  });
});

describe('the detection engine', () => {
  const createIds = async (server: string, id: string): Promise<{name: string}> => {
    const url = `${server}/v1/projects/p/locations/local/endpoints?endpointId=${id}`;
    const body = JSON.stringify({network: 'n', severity: 'LOW'});
    return (await (await fetch(url, {method: 'POST', headers: {'content-type': 'application/json'}, body})).json()) as {
      name: string;
    };
  };
  const statusOf = async (server: string, operation: string): Promise<string> => {
    const answer = (await (await fetch(`${server}/v1/${operation}`)).json()) as {
      done: boolean;
      metadata?: {statusMessage?: string};
      error?: {message: string};
    };
    return `${answer.done} ${answer.metadata?.statusMessage ?? ''} ${answer.error?.message ?? ''}`;
  };

  test('Suricata too old: the server runs, and a create says why it waits', async () => {
    using folder = scratch();
    const bin = fakeSuricata(folder.dir, '6.0.1');
    await using server = await serve(quiet(folder.dir), {env: {PATH: `${bin}:${process.env['PATH']}`}});
    const {name} = await createIds(server.ready.http, 'a');
    await expect.poll(() => statusOf(server.ready.http, name), {timeout: 20_000}).toMatch(/Suricata|7/);
    expect((await create(server.ready.http, 'kube-works')).status).toBe(201);
  });

  test('a rule file with an error is refused with rule file, line and reason', async () => {
    using folder = scratch();
    const rules = join(folder.dir, 'my.rules');
    writeFileSync(
      rules,
      'alert tcp any any -> any any (msg:"ok"; content:"x"; sid:9100001;)\nalert tcp any any -> any any (msg:"bad"; contentx:"x"; sid:9100002;)\n',
    );
    const outcome = await run(['serve', ...quiet(folder.dir), '--rules', rules]).catch(() => undefined);
    expect(outcome?.code).toBe(1);
    expect(outcome?.stderr).toMatch(/my\.rules/);
    expect(outcome?.stderr).toMatch(/line 2|:2/);
    expect(outcome?.stderr).toMatch(/contentx/);
  });

  test('every refused rule is named once: by the start that it ends, in the log where an older set stays in force, and on SIGHUP', async () => {
    using folder = scratch();
    const rules = join(folder.dir, 'my.rules');
    const good = 'alert tcp any any -> any any (msg:"ok"; content:"x"; sid:9100001;)\n';
    const bad = (line: number): string =>
      `alert tcp any any -> any any (msg:"\x1b[31m"; contentx${line}:"x"; sid:${9100001 + line};)\n`;
    const all = [1, 2, 3, 4, 5];
    const put = (text: string): void => writeFileSync(rules, text);
    const countsIn = (text: string): number[] => all.map(line => text.split(`contentx${line}:`).length - 1);
    const once = all.map(() => 1);

    const words = '5 of 5 rules are refused: no rule would be active';
    put(all.map(bad).join(''));
    const refused = await run(['serve', ...quiet(folder.dir), '--rules', rules]);
    expect(refused.code).toBe(1);
    const [logged = '', headline, ...named] = refused.stderr.trimEnd().split('\n');
    expect(JSON.parse(logged)).toMatchObject({msg: `no rule set: ${words}`});
    expect(headline).toBe(`palisade: --rules: ${words}; fix these rules:`);
    expect(named).toEqual(
      all.map(line =>
        expect.stringContaining(
          `palisade: rule ${line} of ${rules} (line ${line}): rule contains invalid (control) characters; fix it`,
        ),
      ),
    );
    expect(countsIn(refused.stderr)).toEqual(once);
    expect(refused.stderr).not.toContain('\x1b');

    put(good);
    expect(await (await serve([...quiet(folder.dir), '--rules', rules])).stop()).toBe(0);
    put(all.map(bad).join(''));
    await using server = await serve([...quiet(folder.dir), '--rules', rules]);
    expect(JSON.parse(server.stderr())).toMatchObject({
      msg: `the previous rule set stays active: ${words}`,
    });
    expect(countsIn(server.stderr())).toEqual(once);
    const before = server.stderr().length;
    server.child.kill('SIGHUP');
    await expect.poll(server.stderr).toContain('rule set reload failed');
    expect(countsIn(server.stderr().slice(before))).toEqual(once);
  });

  test('F-07 a refused rule of any length ends the start, and no server is ready without a rule that was given', async () => {
    using folder = scratch();
    const rules = join(folder.dir, 'my.rules');
    const start = () => run(['serve', ...quiet(folder.dir), '--rules', rules]);
    for (const length of [1_900, 3_000, 64_000]) {
      const msg = 'm'.repeat(length);
      writeFileSync(rules, `alert tcp any any -> any any (msg:"${msg}"; contentx:"x"; sid:9100001;)\n`);
      const refused = await start();
      expect([length, refused.code, refused.stdout]).toEqual([length, 1, '']);
      expect(refused.stderr).toContain(`palisade: rule 1 of ${rules} (line 1): `);
    }
    writeFileSync(rules, 'alert tcp any any -> any any (msg:"v9"; requires:version >= 9.9; content:"x"; sid:1;)\n');
    const skipped = await start();
    expect([skipped.code, skipped.stdout]).toEqual([1, '']);
    expect(skipped.stderr).toContain(
      'palisade: --rules: no rule would be active: 1 of 1 rule is skipped:\npalisade: rule 1 of ',
    );
  });

  test('F-07 rules of other files are no stand-in for the refused ones of --rules', async () => {
    using folder = scratch();
    const others = join(folder.dir, 'others.rules');
    writeFileSync(others, 'alert tcp any any -> any any (msg:"ok"; content:"x"; sid:9100001;)\n');
    expect(await (await serve([...quiet(folder.dir), '--rules', others])).stop()).toBe(0);
    const rules = join(folder.dir, 'my.rules');
    writeFileSync(rules, 'alert tcp any any -> any any (msg:"bad"; contentx:"x"; sid:9100001;)\n');
    const refused = await run(['serve', ...quiet(folder.dir), '--rules', rules]);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('previous rule set not used, it was made from other files');
    expect(refused.stderr).toContain(`palisade: rule 1 of ${rules} (line 1): `);
  });

  test('F-07 a Suricata that gives no verdict on the rules ends the start', async () => {
    using folder = scratch();
    const rules = join(folder.dir, 'my.rules');
    writeFileSync(rules, 'alert tcp any any -> any any (msg:"ok"; content:"x"; sid:9100001;)\n');
    const bin = fakeSuricata(folder.dir, '7.0.10');
    chmodSync(folder.dir, 0o755); // Suricata runs as another user
    const refused = await run(['serve', ...quiet(folder.dir), '--rules', rules], {
      env: {PATH: `${bin}:${process.env['PATH']}`},
    });
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('palisade: --rules: Suricata could not verify the rules: exit code 0');
  });

  test('F-11 a server starts without the rules that are refused, and lists them; --rules-strict and --rules-min-loaded refuse the set', async () => {
    using folder = scratch();
    const rules = join(folder.dir, 'my.rules');
    const good = Array.from(
      {length: 19},
      (_, at) => `alert tcp any any -> any any (msg:"ok"; content:"x"; sid:${9100001 + at};)\n`,
    );
    writeFileSync(rules, `${good.join('')}alert tcp any any -> any any (msg:"bad"; contentx:"x"; sid:9100099;)\n`);
    const start = (...flags: string[]) => run(['serve', ...quiet(folder.dir), '--rules', rules, ...flags]);
    const named = `palisade: rule 20 of ${rules} (line 20): unknown rule keyword 'contentx'; fix it or disable it with --disable-sid 9100099: alert`;
    for (const [flags, why] of [
      [
        ['--rules-strict'],
        'strict mode allows no refused rule; fix these rules, or start without --rules-strict to skip them',
      ],
      [
        ['--rules-min-loaded', '96'],
        '95 % of the rules load, at least 96 % are required; fix these rules, or start with a lower --rules-min-loaded to skip them',
      ],
    ] as const) {
      const refused = await start(...flags);
      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toContain(`palisade: --rules: 1 of 20 rules is refused: ${why}:\n${named}`);
    }
    await using server = await serve([...quiet(folder.dir), '--rules', rules]);
    const [logged = ''] = server.stderr().split('\n');
    expect(JSON.parse(logged)).toMatchObject({
      ...{level: 40, msg: 'rules are not active: 1 of 20 rules is refused'},
      refused: [expect.stringContaining('rule 20 of ')],
    });
    const metrics = await (await fetch(`${server.ready.http}/metrics`)).text();
    expect(metrics.match(/^palisade_rule.*$/gm)).toEqual([
      'palisade_rules{set="default",state="loaded"} 19',
      'palisade_rules{set="default",state="refused"} 1',
      'palisade_rules{set="default",state="skipped"} 0',
      'palisade_rule_set_refused{set="default"} 0',
    ]);
    writeFileSync(rules, `${good[0]}alert tcp any any -> any any (msg:"bad"; contentx:"x"; sid:9100099;)\n`);
    server.child.kill('SIGHUP');
    await expect.poll(server.stderr).toContain('rule set reload failed, the previous rule set stays active: ');
    expect(await (await fetch(`${server.ready.http}/metrics`)).text()).toContain(
      'palisade_rule_set_refused{set="default"} 1\n',
    );
  });

  test('rule files that cannot be read end the start, also where an earlier set could stay in force', async () => {
    using folder = scratch();
    const rules = join(folder.dir, 'my.rules');
    writeFileSync(rules, 'alert tcp any any -> any any (msg:"ok"; content:"x"; sid:9100001;)\n');
    expect(await (await serve([...quiet(folder.dir), '--rules', rules])).stop()).toBe(0);
    const typo = join(folder.dir, 'nofile.rules');
    const outcome = await run(['serve', ...quiet(folder.dir), '--rules', rules, typo, '/proc/self/net']);
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain(
      `--rules: Rule file ${typo}: no such file; check the path; rule file /proc/self/net: a folder without a *.rules file; put one into it, or name the rule file itself`,
    );
    writeFileSync(rules, 'alert tcp any any -> any any (msg:"bad"; contentx:"x"; sid:9100002;)\n');
    await using refusedByEngine = await serve([...quiet(folder.dir), '--rules', rules]);
    expect(refusedByEngine.ready.http).toMatch(/^http/);
  });
});
