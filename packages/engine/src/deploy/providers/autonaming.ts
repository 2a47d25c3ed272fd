// SPDX-License-Identifier: Apache-2.0
/**
 * `pulumi:autonaming` of the project's configuration: `{mode: default|verbatim|disabled}` or `{pattern, enforce}`, and the same per
 * provider (`providers.<package>`) and per type (`providers.<package>.resources.<type>`).
 * Pattern words: ${name} ${project} ${stack} ${organization} ${hex(n)} ${alphanum(n)} ${string(n)} ${num(n)} ${uuid}.
 * Ref: Pulumi pkg/resource/autonaming.
 */
import {createHash} from 'node:crypto';
import type {Autonaming} from '@palisade/provider';
import {ORGANIZATION} from '../../backend/stack-reference.ts';
import {EngineError} from '../../engine-error.ts';
import {isJsonObject, type Json, type JsonObject} from '../../state/resource-json.ts';
import {parseUrn} from '../../state/urn.ts';

export type NamingDecision = {
  /** undefined: the provider's own way. */
  readonly autonaming: Autonaming | undefined;
  /** The name does not differ from run to run: the old object must go first. */
  readonly deleteBeforeReplace: boolean;
};

const OWN_WAY: NamingDecision = {autonaming: undefined, deleteBeforeReplace: false};

export class Autonamer {
  readonly #config: JsonObject;

  constructor(config: JsonObject) {
    this.#config = config;
    validate(config, 'pulumi:autonaming');
  }

  decide(urn: string, seed: Uint8Array): NamingDecision {
    const {type, name, project, stack} = parseUrn(urn);
    const rule = this.#ruleFor(type);
    const pattern = rule['pattern'];
    if (typeof pattern === 'string') {
      const proposedName = expand(pattern, {name, project, stack, organization: ORGANIZATION}, seed);
      const mode = rule['enforce'] === true ? 'enforce' : 'propose';
      return {autonaming: {proposedName, mode}, deleteBeforeReplace: !RANDOM_WORD.test(pattern)};
    }
    if (rule['mode'] === 'verbatim')
      return {autonaming: {proposedName: name, mode: 'enforce'}, deleteBeforeReplace: true};
    if (rule['mode'] === 'disabled')
      return {autonaming: {proposedName: '', mode: 'disable'}, deleteBeforeReplace: false};
    return OWN_WAY;
  }

  #ruleFor(type: string): JsonObject {
    const providers = this.#config['providers'];
    const forPackage = isJsonObject(providers) ? providers[type.split(':')[0] ?? ''] : undefined;
    if (!isJsonObject(forPackage)) return this.#config;
    const resources = forPackage['resources'];
    const forType = isJsonObject(resources) ? resources[type] : undefined;
    if (isJsonObject(forType)) return forType;
    return 'mode' in forPackage || 'pattern' in forPackage ? forPackage : this.#config;
  }
}

const RANDOM_WORD = /\$\{(hex|alphanum|string|num)\(\d+\)\}|\$\{uuid\}/;

/** Members of a rule besides those of every one: the group of rules below it. */
const GROUPS = ['providers', 'resources'] as const;

/** `depth` 0: for all, 1: of a provider, 2: of a type. */
function validate(rule: Json | undefined, where: string, depth = 0): void {
  if (!isJsonObject(rule)) throw new EngineError(`${where}: expected a map, found ${JSON.stringify(rule)}`);
  const known = ['mode', 'pattern', 'enforce', ...GROUPS.slice(depth, depth + 1)];
  const strange = Object.keys(rule).find(key => !known.includes(key));
  if (strange !== undefined)
    throw new EngineError(`${where}.${strange}: there is no such key: expected ${known.join(', ')}`);
  const {mode, pattern} = rule as {mode?: Json; pattern?: Json};
  if (mode !== undefined && !['default', 'verbatim', 'disabled'].includes(String(mode)))
    throw new EngineError(`${where}: mode "${String(mode)}" is not one of default, verbatim, disabled`);
  if (mode !== undefined && pattern !== undefined) throw new EngineError(`${where}: give either mode or pattern`);
  if (pattern !== undefined && (typeof pattern !== 'string' || !pattern.includes('${')))
    throw new EngineError(`${where}: pattern must be a string with placeholders like \${name}`);
  const group = GROUPS[depth];
  const members = group === undefined ? undefined : rule[group];
  if (members === undefined) return;
  if (!isJsonObject(members)) throw new EngineError(`${where}.${group}: expected a map`);
  for (const [key, member] of Object.entries(members)) validate(member, `${where}.${group}.${key}`, depth + 1);
}

const ALPHABETS: Readonly<Record<string, string>> = {
  hex: '0123456789abcdef',
  alphanum: '0123456789abcdefghijklmnopqrstuvwxyz',
  string: 'abcdefghijklmnopqrstuvwxyz',
  num: '0123456789',
};

function expand(pattern: string, words: Readonly<Record<string, string>>, seed: Uint8Array): string {
  let draw = 0;
  const bytes = (count: number): Buffer => {
    const blocks: Buffer[] = [];
    while (blocks.length * 32 < count) blocks.push(createHash('sha256').update(seed).update(`${draw++}`).digest());
    return Buffer.concat(blocks).subarray(0, count);
  };
  return pattern.replace(/\$\{(\w+)(?:\((\d+)\))?\}/g, (whole, word: string, count: string | undefined) => {
    const alphabet = ALPHABETS[word];
    if (alphabet !== undefined && count !== undefined)
      return [...bytes(Number(count))].map(byte => alphabet[byte % alphabet.length]).join('');
    if (word === 'uuid') {
      const hex = bytes(16).toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
    }
    const value = words[word];
    if (value === undefined) throw new EngineError(`pulumi:autonaming: unknown placeholder ${whole}`);
    return value;
  });
}
