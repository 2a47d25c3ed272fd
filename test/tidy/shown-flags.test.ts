// SPDX-License-Identifier: Apache-2.0
/** What help shows works: every flag of every command, every value of it that is shown, every example. */
import {COMMANDS} from '@palisade/engine';
import {describe, expect, test} from 'vitest';
import {
  FLAGS,
  type FlagName,
  type FlagSpec,
  GLOBAL_FLAGS,
  parseFlags,
} from '../../packages/engine/src/command/flags.ts';
import {chooseCapture} from '../../packages/sensor/src/capture/choose.ts';
import {type Command, commandHelp} from '../../packages/server/src/cli/command.ts';
import {describeOptions, type Option, readOptions} from '../../packages/server/src/cli/options.ts';
import {commands} from '../../packages/server/src/commands/index.ts';
import {serveOptions} from '../../packages/server/src/commands/serve-options.ts';
import {toServeConfig} from '../../packages/server/src/run/config.ts';

const ownCommands = commands.filter(command => command.ownHelp !== true);

/** A value that fits, by the placeholder that help shows. */
const SAMPLES: Readonly<Record<string, string>> = {
  DIR: './data',
  FILE: 'file',
  'HOST:PORT': '127.0.0.1:0',
  'A,B': 'local',
  CIDR: '10.77.0.0/16',
  N: '3',
  PERCENT: '90',
  NAME: 'web',
  NS: 'default',
  NODE: 'worker-1',
  TEXT: 'text',
  TOKEN: 'change-me',
  T: '10m',
  UID: '5b2d3c1e-7f52-4e5a-9a54-0c7a4c8a3f10',
  F: 'alert_severity>=HIGH',
  URL: 'http://127.0.0.1:8080',
};

/** `HOST:PORT|off` and `CIDR,…` are forms of their first part. */
function sampleOf(placeholder: string): string {
  const sample = SAMPLES[placeholder] ?? SAMPLES[/^[^|,]*/.exec(placeholder)?.[0] ?? ''];
  if (sample === undefined) throw new Error(`add a value that fits ${placeholder} to SAMPLES`);
  return sample;
}

/** The flags that help shows, with each value that it shows or, where any value of a form will do, one of that form. */
const shownWords = (command: Command): string[][] =>
  describeOptions(command.options).flatMap(line => {
    const [, name = '', placeholder] = /--([a-z0-9-]+)(?: ([^ …]+))?/.exec(line) ?? [];
    const option: Option | undefined = command.options[name];
    const choices = / \((?:([^()]*?)(?:; )?)?(?:default [^()]*)?\)$/.exec(line)?.[1]?.split(' | ');
    if (option?.oneOf !== undefined) expect(choices, line).toEqual(option.oneOf);
    if (option?.type === 'boolean') return [[`--${name}`]];
    const values = option?.oneOf === undefined ? [option?.default ?? sampleOf(placeholder ?? '')] : (choices ?? []);
    return values.map(value => [`--${name}`, value]);
  });

describe('commands of the server', () => {
  test.each(ownCommands.map(command => [command.name, command] as const))(
    'F-27 %s: every flag and value that help shows is taken',
    (_, command) => {
      for (const words of shownWords(command))
        expect(readOptions(words, command.options).faults, words.join(' ')).toEqual([]);
    },
  );

  /** Flags that need another one, or stand in for one. */
  const AND: Readonly<Record<string, readonly string[]>> = {
    'tls-cert': ['--auth', 'none', '--tls-key', 'key'],
    'tls-key': ['--auth', 'none', '--tls-cert', 'cert'],
    auth: [],
    'token-auth-file': ['--https', '127.0.0.1:0'],
  };

  const serve = ownCommands.find(command => command.name === 'serve') as Command;
  test.each(shownWords(serve).map(words => [words.join(' '), words] as const))(
    'F-27 serve %s: a server would start with it',
    (_, words) => {
      const name = (words[0] ?? '').slice(2);
      const {options, faults} = readOptions([...words, ...(AND[name] ?? ['--auth', 'none'])], serveOptions);
      expect(() => toServeConfig(options, {HOME: '/home/u'}, '/', faults)).not.toThrow();
      if (name === 'driver') expect(() => chooseCapture(options.driver as 'auto')).not.toThrow();
    },
  );

  test.each(ownCommands.flatMap(command => command.examples.map(example => [example, command] as const)))(
    'F-27 the example %s',
    (example, command) => {
      const words = (/\bpalisade \S+ ?([^|]*)/.exec(example)?.[1] ?? '').split(' ').filter(word => word !== '');
      const {faults} = readOptions(words, command.options, {max: Number.POSITIVE_INFINITY});
      expect(faults).toEqual([]);
    },
  );
});

describe('commands of the engine', () => {
  test.each(COMMANDS.map(command => [command.name, command] as const))('F-27 %s: as above', (_, command) => {
    for (const name of [...command.flags, ...GLOBAL_FLAGS] as readonly FlagName[]) {
      const spec: FlagSpec = command.ownFlags?.[name] ?? FLAGS[name];
      const values = spec.values ?? [spec.value === 'N' ? '3' : 'A=B'];
      for (const value of spec.type === 'switch' ? ['true', 'false'] : values) {
        expect(() => parseFlags([`--${name}=${value}`], command.flags, {own: command.ownFlags}), name).not.toThrow();
        if (spec.values !== undefined) expect(spec.doc).toContain(value);
      }
    }
  });
});

describe('what does not work yet', () => {
  const refused = [
    ['--store etcd=http://127.0.0.1:2379', /^--store etcd=\S+: not in this version: leave it out to use the embedded/],
    ['--driver afpacket', /^--driver afpacket: not in this version: use relay, which needs no privilege, or auto$/],
    ['--driver=afpacket-bpf', /^--driver afpacket-bpf: not in this version: use relay/],
  ] as const;

  test.each(refused)('F-27 serve %s is refused with the way out', (words, fault) => {
    const {options, faults} = readOptions(['--auth', 'none', ...words.split(' ')], serveOptions);
    expect(() => toServeConfig(options, {}, '/', faults)).toThrow(fault);
  });

  test('F-27 it is not in help, nor in what a misspelt flag or value is answered with', () => {
    expect(commandHelp(ownCommands[0] as Command)).not.toMatch(
      /etcd|afpacket|--store|not there yet|not in this version/,
    );
    const {faults} = readOptions(['--stor', 'x', '--driver', 'afpackt'], serveOptions);
    expect(faults).toEqual(['unknown flag --stor', '--driver afpackt: must be one of auto, relay']);
  });
});
