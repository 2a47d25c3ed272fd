// SPDX-License-Identifier: Apache-2.0
/** The flags of the engine's commands: those of the Pulumi CLI, under the same names and letters. */
import type {Env} from '../backend/backend-url.ts';
import {UsageError} from '../engine-error.ts';
import {nearest, oneOf} from '../nearest.ts';

export type FlagSpec = {
  readonly type: 'switch' | 'text' | 'list';
  readonly letter?: string;
  readonly value?: string;
  /** The only values that there are. */
  readonly values?: readonly string[];
  /** The variable of the environment that gives the value when the flag is left out. */
  readonly env?: string;
  readonly doc: string;
};

export const FLAGS = {
  cwd: {type: 'text', letter: 'C', value: 'FOLDER', doc: 'run as if started in this folder'},
  stack: {type: 'text', letter: 's', value: 'NAME', doc: 'the stack to work on (default: the selected one)'},
  yes: {
    type: 'switch',
    letter: 'y',
    env: 'PULUMI_SKIP_CONFIRMATIONS',
    doc: 'do it without asking (also PULUMI_SKIP_CONFIRMATIONS=true)',
  },
  'skip-preview': {type: 'switch', letter: 'f', doc: 'do not show first what would be done'},
  'non-interactive': {type: 'switch', doc: 'never ask'},
  'expect-no-changes': {
    type: 'switch',
    doc: 'fail when anything changed (in a preview: would change)',
  },
  json: {type: 'switch', letter: 'j', doc: 'print JSON'},
  'show-secrets': {type: 'switch', doc: 'show secrets in the clear'},
  refresh: {type: 'switch', letter: 'r', doc: 'refresh the state first'},
  parallel: {
    type: 'text',
    letter: 'p',
    value: 'N',
    env: 'PULUMI_PARALLEL',
    doc: 'steps at a time (also PULUMI_PARALLEL; default 16)',
  },
  target: {type: 'list', letter: 't', value: 'URN', doc: 'only this resource; may be repeated; * and ** match'},
  'target-dependents': {type: 'switch', doc: 'with --target: also what depends on the targets'},
  exclude: {type: 'list', letter: 'x', value: 'URN', doc: 'all but this resource; may be repeated; * and ** match'},
  'exclude-dependents': {type: 'switch', doc: 'with --exclude: also not what depends on what is excluded'},
  'continue-on-error': {
    type: 'switch',
    env: 'PULUMI_CONTINUE_ON_ERROR',
    doc: 'after a failure go on with what does not need that resource (also PULUMI_CONTINUE_ON_ERROR=true)',
  },
  replace: {type: 'list', value: 'URN', doc: 'replace this resource; may be repeated'},
  'target-replace': {type: 'list', value: 'URN', doc: '--target and --replace in one; may be repeated'},
  message: {type: 'text', letter: 'm', value: 'TEXT', doc: 'a note for the history'},
  config: {type: 'list', letter: 'c', value: 'KEY=VALUE', doc: 'set configuration for this run and save it'},
  'config-path': {type: 'switch', doc: 'keys of --config are paths into structured values'},
  'skip-config-validation': {type: 'switch', doc: 'do not compare the configuration with what Pulumi.yaml declares'},
  'config-file': {type: 'text', value: 'FILE', doc: 'use this file instead of Pulumi.<stack>.yaml'},
  'suppress-outputs': {type: 'switch', doc: 'do not print the stack outputs'},
  'clear-pending-creates': {type: 'switch', doc: 'forget operations that an earlier run left unfinished'},
  'preview-only': {type: 'switch', doc: 'only show what would be done'},
  parent: {type: 'text', value: 'NAME=URN', doc: 'the parent, and the name of its variable in the program'},
  provider: {type: 'text', value: 'NAME=URN', doc: 'the provider, and the name of its variable in the program'},
  protect: {type: 'switch', doc: 'protect what is imported (default; --protect=false does not)'},
  'generate-code': {type: 'switch', doc: 'print code for the program (default; --generate-code=false does not)'},
  out: {type: 'text', letter: 'o', value: 'FILE', doc: 'write the code to this file'},
  file: {type: 'text', value: 'FILE', doc: 'the file; - is standard input or output'},
  force: {type: 'switch', doc: 'do it all the same'},
  'preserve-config': {type: 'switch', doc: 'keep Pulumi.<stack>.yaml'},
  'remove-backups': {type: 'switch', doc: 'remove the backups too'},
  'no-select': {type: 'switch', doc: 'do not select the new stack'},
  create: {type: 'switch', letter: 'c', doc: 'create the stack when there is none of this name'},
  all: {type: 'switch', letter: 'a', doc: 'the stacks of all projects'},
  dest: {type: 'text', letter: 'd', value: 'STACK', doc: 'the stack to copy to'},
  secret: {type: 'switch', doc: 'store the value encrypted'},
  plaintext: {type: 'switch', doc: 'store the value in the clear'},
  path: {type: 'switch', doc: 'the key is a path into a structured value: outer.list[0].name'},
  'show-urns': {type: 'switch', letter: 'u', doc: 'print the URN of each resource'},
  'show-ids': {type: 'switch', letter: 'i', doc: 'print the id of each resource'},
  'show-name': {type: 'switch', doc: 'print only the name of the selected stack'},
  remove: {type: 'switch', doc: 'remove the stack and its configuration when everything was deleted'},
  shell: {type: 'switch', doc: 'print NAME=VALUE lines for a shell'},
  page: {type: 'text', value: 'N', doc: 'the Nth part of the list, from the newest (default 1)'},
  'page-size': {type: 'text', value: 'N', doc: 'at most N (default 10)'},
  'full-dates': {type: 'switch', doc: 'accepted for compatibility; times are always in full'},
  'secrets-provider': {
    type: 'text',
    value: 'NAME',
    values: ['default', 'passphrase'],
    doc: 'default or passphrase: what the engine has for secrets',
  },
  color: {
    type: 'text',
    value: 'WHEN',
    values: ['always', 'never', 'raw', 'auto'],
    doc: 'always, never, raw or auto: accepted for compatibility; the output has no colours',
  },
  'suppress-progress': {type: 'switch', doc: 'accepted for compatibility; there are no progress dots'},
  'suppress-permalink': {type: 'switch', doc: 'accepted for compatibility; there are no links'},
  diff: {type: 'switch', doc: 'show each changed property with its old and new value; secrets stay hidden'},
} as const satisfies Readonly<Record<string, FlagSpec>>;

export type FlagName = keyof typeof FLAGS;

/** Flags that are of another form in a command of its own. */
export type OwnFlags = {readonly [name in FlagName]?: FlagSpec};

export type FlagDocs = {readonly [name in FlagName]?: string};

/** Flags that every command takes. */
export const GLOBAL_FLAGS: readonly FlagName[] = ['cwd', 'stack', 'non-interactive', 'color'];

export class Flags {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  on(name: FlagName): boolean {
    return this.#values.get(name)?.at(-1) === 'true';
  }

  text(name: FlagName): string | undefined {
    return this.#values.get(name)?.at(-1);
  }

  list(name: FlagName): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** Of a list of KEY=VALUE. Throws UsageError for what is none. */
  pairs(name: FlagName): (readonly [key: string, text: string])[] {
    return this.list(name).map(pair => {
      const at = pair.indexOf('=');
      if (at <= 0) throw new UsageError(`--${name} ${pair}: expected KEY=VALUE`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    });
  }
}

/** What the environment gives for flags that are left out. As with the CLI a switch is on for `1` and `true`, whatever the case. */
function fromEnvironment(names: readonly FlagName[], own: OwnFlags, env: Env): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const name of names) {
    const spec: FlagSpec = own[name] ?? FLAGS[name];
    const text = spec.env === undefined ? undefined : env[spec.env];
    if (text === undefined || text === '') continue;
    values.set(name, [spec.type === 'switch' ? String(/^(1|true)$/i.test(text)) : text]);
  }
  return values;
}

/** Throws UsageError naming every fault. `--` ends the flags. */
export function parseFlags(
  words: readonly string[],
  allowed: readonly FlagName[],
  {own = {}, env = {}}: {readonly own?: OwnFlags | undefined; readonly env?: Env} = {},
): {flags: Flags; positionals: readonly string[]} {
  const names: readonly FlagName[] = [...allowed, ...GLOBAL_FLAGS];
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  const faults: string[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') positionals.push(...rest.splice(0));
    else if (!word.startsWith('-') || word === '-') positionals.push(word);
    else {
      const [text = '', ...inline] = word.split('=');
      const name = findFlag(text, names, own);
      if (name === undefined) faults.push(unknownFlag(text, names));
      else {
        const spec: FlagSpec = own[name] ?? FLAGS[name];
        const value = inline.length > 0 ? inline.join('=') : spec.type === 'switch' ? 'true' : rest.shift();
        if (value === undefined) faults.push(`${text} needs a value (${spec.value ?? 'VALUE'})`);
        else if (spec.values?.includes(value) === false)
          faults.push(`${text} ${value}: expected ${oneOf(spec.values)}`);
        else if (spec.type === 'switch' && value !== 'true' && value !== 'false')
          faults.push(`${word}: must be true or false`);
        else values.set(name, [...(values.get(name) ?? []), value]);
      }
    }
  }
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  return {flags: new Flags(new Map([...fromEnvironment(names, own, env), ...values])), positionals};
}

const findFlag = (text: string, names: readonly FlagName[], own: OwnFlags): FlagName | undefined =>
  text.startsWith('--')
    ? names.find(name => name === text.slice(2))
    : names.find(name => (own[name] ?? (FLAGS[name] as FlagSpec)).letter === text.slice(1));

function unknownFlag(text: string, names: readonly FlagName[]): string {
  const near = nearest(text.replace(/^-+/, ''), names);
  return `unknown flag ${text}${near === undefined ? '' : ` (did you mean --${near}?)`}`;
}

/** `docs`: what a flag does in a command of its own. */
export const describeFlags = (names: readonly FlagName[], docs: FlagDocs = {}, own: OwnFlags = {}): string[] =>
  [...names, ...GLOBAL_FLAGS].map(name => {
    const spec: FlagSpec = own[name] ?? FLAGS[name];
    const letter = spec.letter === undefined ? '    ' : `-${spec.letter}, `;
    const head = `  ${letter}--${name}${spec.type === 'switch' ? '' : ` ${spec.value ?? 'VALUE'}`}`;
    return `${head.padEnd(34)} ${docs[name] ?? spec.doc}`;
  });
