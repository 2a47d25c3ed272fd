// SPDX-License-Identifier: Apache-2.0
/** `palisade rules check` and `rules test`, by the Suricata of this machine and without a server. */
import {writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, expect, test} from 'vitest';
import {run, scratch} from '../support/palisade.ts';
import {skipReason, whyNot} from './lab/lab.ts';

const CAPTURE = resolve('examples/shop/traffic/attack.pcap');
const HTTP = 'alert http any any -> any any (msg:"a request"; content:"GET"; http_method; sid:1; rev:1;)';
const NEVER = 'alert http $HOME_NET any -> any any (msg:"never"; content:"no-such-text"; sid:2;)';
const BAD = 'alert tcp any any -> any any (msg:"bad"; contentx:"x"; sid:3;)';
const OFF = '#alert http any any -> any any (msg:"off"; content:"GET"; http_method; sid:4;)';
const SETS_BIT =
  'alert http any any -> any any (msg:"sets"; content:"GET"; http_method; flowbits:set,seen; noalert; sid:5;)';
const TESTS_BIT = 'alert http any any -> any any (msg:"tests"; flowbits:isset,seen; content:"HTTP"; sid:6;)';

describe.skipIf(whyNot !== undefined)(`rules without a server${skipReason}`, () => {
  const inFolder = async (rules: readonly string[], ...words: string[]) => {
    using folder = scratch();
    writeFileSync(join(folder.dir, 'my.rules'), `${rules.join('\n')}\n`);
    const env = {HOME: folder.dir, PALISADE_SERVER: 'http://127.0.0.1:1'};
    const {stdout, stderr, code} = await run(['rules', ...words], {cwd: folder.dir, env});
    return {code, stderr, stdout: stdout.replaceAll(folder.dir, '.')};
  };

  test('43-2 check counts the rules and exits 0 when none is refused', async () => {
    expect(await inFolder([HTTP, NEVER, OFF], 'check', 'my.rules')).toEqual({
      ...{code: 0, stderr: ''},
      stdout: expect.stringMatching(/^Suricata 7\S*: 2 of 2 rules load, 1 is disabled\n$/),
    });
  });

  test('43-2 check names each refused rule with file, line, reason and way out, and says what serve would do', async () => {
    const {code, stdout} = await inFolder([HTTP, BAD], 'check', 'my.rules');
    expect(code).toBe(1);
    expect(stdout.split('\n').slice(1)).toEqual([
      `rule 2 of ./my.rules (line 2): unknown rule keyword 'contentx'; fix it or disable it with --disable-sid 3: ${BAD}`,
      'palisade serve would refuse this rule set: 1 of 2 rules is refused: 50 % of the rules load, at least 90 % are required',
      '',
    ]);
  });

  test('43-2 check takes the flags of serve, and prints JSON', async () => {
    const {code, stdout} = await inFolder([HTTP, BAD], 'check', 'my.rules', '--disable-sid', '3', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({accepted: true, given: 1, loaded: 1, refusedCount: 0, disabled: 1});
    const accepted = await inFolder([HTTP, BAD], 'check', 'my.rules', '--rules-min-loaded', '10', '--json');
    expect(accepted.code).toBe(1);
    expect(JSON.parse(accepted.stdout)).toMatchObject({accepted: true, refused: [{line: 2, sid: '3'}]});
  });

  test('43-2 check of a set that is refused has its warnings and whole rules, too', async () => {
    const long = BAD.replace('"bad"', `"${'b'.repeat(200)}"`);
    const {code, stdout} = await inFolder(
      [HTTP, long, ` ${NEVER}`],
      'check',
      'my.rules',
      '--disable-sid',
      '77',
      '--json',
    );
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{accepted: false, refused: [{rule: long}], warnings: ['--disable-sid 77: matches no rule']},
      indented: [{line: 3, id: '1:2'}],
    });
    const shown = await inFolder([HTTP, BAD, ` ${NEVER}`], 'check', 'my.rules', '--disable-sid', '77');
    expect(shown.stdout).toContain('my.rules, line 3: Suricata skips this indented rule');
    expect(shown.stdout).toContain('--disable-sid 77: matches no rule');
  });

  test('43-2 check names the file and the value of a faulty dataset, the database of geoip, and unknown classtypes', async () => {
    const rules = [
      'alert ip any any -> any any (msg:"d"; ip.src; dataset:isset,bad,type ip,load my.rules; sid:11;)',
      'alert ip any any -> any any (msg:"g"; geoip:src,DE; sid:12;)',
      'alert ip any any -> any any (msg:"c"; classtype:foo; sid:13;)',
    ];
    const {stdout} = await inFolder(rules, 'check', 'my.rules');
    expect(stdout).toMatch(
      /rule 1 of \S+ \(line 1\): my\.rules, line 1: "alert ip.* is not a value of the type of dataset "bad"/,
    );
    expect(stdout).not.toContain('side-');
    expect(stdout).toMatch(/rule 2 of .*"geoip" needs a GeoIP database/);
    expect(stdout).toContain('unknown classtype foo, rule 3 of');
  });

  test('43-2 test of an indented rule says where it is indented', async () => {
    const {code, stderr} = await inFolder([HTTP, ` ${NEVER}`], 'test', '2', '--pcap', CAPTURE, '--rules', 'my.rules');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/rule 1:2 is indented in \S+my\.rules, line 2, .*remove the indentation/),
    ]);
  });

  test('43-2 check of a file that is not there fails with the way out', async () => {
    const {code, stderr} = await inFolder([], 'check', 'none.rules');
    expect([code, stderr]).toEqual([1, expect.stringContaining('none.rules: no such file; check the path')]);
  });

  test('43-2 test prints each alert of the rule, and of no other', async () => {
    const {code, stdout} = await inFolder([HTTP, NEVER], 'test', '1', '--pcap', CAPTURE, '--rules', 'my.rules');
    const lines = stdout.trim().split('\n');
    expect([code, lines.length]).toEqual([0, 9]);
    for (const line of lines)
      expect(line).toMatch(/^2026-\S+ {2}tcp 10\.20\.0\.66:\d+ > 10\.20\.0\.10:80 {2}http {2}a request$/);
  });

  test('43-2 test says what the capture holds when the rule did not fire', async () => {
    const {code, stdout} = await inFolder([HTTP, NEVER], 'test', '2', '--pcap', CAPTURE, '--rules', 'my.rules');
    expect([code, stdout.trim().split('\n')]).toEqual([
      1,
      [
        'rule 1:2 raised no alert',
        'the capture has 359 packets in 132 flows',
        'transport protocols of the flows: 130 tcp, 2 udp',
        'application protocols of the flows: 121 unknown, 9 http, 2 dns',
        'the rule uses $HOME_NET: name the networks of the capture with --home-net',
      ],
    ]);
  });

  test('43-2 test runs a rule that is commented out, and one with the rule that sets its flowbit', async () => {
    const rules = [OFF, SETS_BIT, TESTS_BIT];
    for (const sid of ['4', '6']) {
      const {code, stdout} = await inFolder(rules, 'test', sid, '--pcap', CAPTURE, '--rules', 'my.rules', '--json');
      const {fired, alerts} = JSON.parse(stdout);
      expect([code, fired, new Set(alerts.map((alert: {sid: number}) => alert.sid))]).toEqual([
        0,
        true,
        new Set([Number(sid)]),
      ]);
    }
  });

  test.each([
    [['3', '--pcap', CAPTURE], "unknown rule keyword 'contentx'"],
    [['99', '--pcap', CAPTURE], 'no rule 1:99 in '],
    [['1', '--pcap', 'none.pcap'], '--pcap none.pcap: cannot be read'],
    [['1', '--pcap', 'my.rules'], 'Suricata cannot read'],
  ])('43-2 test %j fails with the reason', async (words, message) => {
    const {code, stderr} = await inFolder([HTTP, BAD], 'test', ...words, '--rules', 'my.rules');
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});
