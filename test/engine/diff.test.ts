// SPDX-License-Identifier: Apache-2.0
/** `--diff`: old and new values below each step, in previews, updates and refreshes. */
import {describe, expect, test} from 'vitest';
import {bench} from './support/bench-for-each.ts';

/** The lines that `--diff` adds. */
const differences = (text: string): string[] =>
  text
    .split('\n')
    .filter(line => /^ {8}[~+-] /.test(line))
    .map(line => line.trim());

describe('--diff', () => {
  test('shows values of what is created, changed, replaced and deleted, and no secret', async () => {
    bench.program(`
      new Thing('a', {name: 'a', value: cfg.get('value') ?? {port: 80}, key: cfg.get('key') ?? 'k1', token: cfg.getSecret('token')});
      if (cfg.get('key') === undefined) new Thing('b', {name: 'b', value: 1});
    `);
    await bench.run('config', 'set', '--secret', 'token', 'hidden-one');
    const create = await bench.run('preview', '--diff');
    expect(create.code, create.all).toBe(0);
    expect(differences(create.out).toSorted()).toEqual(
      [
        '+ key: "k1"',
        '+ name: "a"',
        '+ name: "b"',
        '+ token: [secret]',
        '+ value: 1',
        '+ value: {"port":80}',
      ].toSorted(),
    );
    await bench.up();

    await bench.run('config', 'set', '--path', 'value', 'other');
    await bench.run('config', 'set', '--secret', 'token', 'hidden-two');
    const change = await bench.up(0, '--diff');
    expect(differences(change.out).toSorted()).toEqual([
      '~ token: [secret] => [secret]',
      '~ value: {"port":80} => "other"',
    ]);

    await bench.run('config', 'set', 'key', 'k2');
    const replace = await bench.run('preview', '--diff');
    expect(differences(replace.out).toSorted()).toEqual([
      '- name: "b"',
      '- value: 1',
      '~ key (replaces): "k1" => "k2"',
    ]);
    for (const {all} of [create, change, replace]) expect(all).not.toContain('hidden-');
  });

  test('shows what was changed from outside', async () => {
    bench.program("new Thing('a', {name: 'a', value: 'one'});");
    await bench.up();
    bench.cloud.drift('a', {value: 'drifted'});
    const ran = await bench.run('refresh', '--preview-only', '--diff');
    expect(differences(ran.out)).toEqual(['~ value: "one" => "drifted"']);
  });
});
