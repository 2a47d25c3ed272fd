// SPDX-License-Identifier: Apache-2.0
/**
 * Pulumi.<stack>.yaml: `config`, `encryptionsalt`, `secretsprovider`. Edits keep comments and other members (`STACK_KEYS`).
 * Ref: Pulumi sdk/go/common/workspace ProjectStack.
 */
import {readFile, rename, rm} from 'node:fs/promises';
import {join} from 'node:path';
import type {Document} from 'yaml';
import {whyUnreadable, whyUnwritable} from '../backend/file-faults.ts';
import {readIfThere} from '../backend/files.ts';
import {changing} from '../backend/state-files.ts';
import {EngineError, isMissingFile} from '../engine-error.ts';
import {isJsonObject, type Json} from '../state/resource-json.ts';
import {type ConfigMap, fullConfigKey} from './config-value.ts';
import {isDeclaration} from './declared-config.ts';
import {judgeKeys, type KeyFaults} from './key-rules.ts';
import {STACK_KEYS} from './known-keys.ts';
import {writeThrough} from './named-file.ts';
import type {Project} from './project.ts';
import {contentOf, parseYaml} from './yaml-file.ts';

/** A file that the user named instead of Pulumi.<stack>.yaml. */
export type NamedConfigFile = {readonly path: string; readonly said: string; readonly mayBeMissing: boolean};

export class StackConfig {
  readonly file: string;
  readonly #project: Project;
  readonly #document: Document;
  readonly #keys: KeyFaults;
  #changed = false;

  private constructor(file: string, project: Project, document: Document, keys: KeyFaults) {
    this.file = file;
    this.#project = project;
    this.#document = document;
    this.#keys = keys;
  }

  /** Without a file of its own a stack has no values; one that was named must be there. */
  static async open(project: Project, stack: string, named?: NamedConfigFile): Promise<StackConfig> {
    const path = named?.path ?? fileOf(project, stack);
    const document = parseYaml(await storedText(path, named), path);
    const content = contentOf(document, path);
    if (content !== null && !isJsonObject(content)) throw new EngineError(`${path}: a stack file is a map`);
    const keys = judgeKeys(content ?? {}, STACK_KEYS, {isOpen: true});
    if (keys.wrong.length > 0) throw new EngineError(keys.wrong.map(fault => `${path}: ${fault}`).join('\n'));
    return new StackConfig(path, project, document, keys);
  }

  /** Unknown keys of the file. */
  get unknown(): readonly string[] {
    return this.#keys.unknown;
  }

  get encryptionSalt(): string | undefined {
    return this.#text('encryptionsalt');
  }

  set encryptionSalt(salt: string) {
    this.#set(['encryptionsalt'], salt);
  }

  /** `secretsprovider`: only the passphrase one is supported. */
  get secretsProvider(): string | undefined {
    return this.#text('secretsprovider');
  }

  #text(key: string): string | undefined {
    const value: unknown = this.#document.get(key);
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  /** This stack's own values by full key, in the file's order. */
  own(): ConfigMap {
    const content: unknown = this.#document.toJS();
    const config = isJsonObject(content) ? (content['config'] ?? {}) : {};
    if (!isJsonObject(config)) throw new EngineError(`${this.file}: config: expected a map`);
    return new Map(
      Object.entries(config).map(([key, value]) => [fullConfigKey(key, this.#project.name), value as Json]),
    );
  }

  /**
   * The values a deployment uses: the project's values and defaults under the stack's own. Throws EngineError when the file gives
   * values in a way that is not supported.
   */
  merged(): ConfigMap {
    const {refused} = this.#keys;
    if (refused.length > 0) throw new EngineError(refused.map(fault => `${this.file}: ${fault}`).join('\n'));
    return new Map([...projectConfig(this.#project), ...this.own()]);
  }

  set(key: string, value: Json): void {
    this.#set(['config', key], value);
  }

  /** False when there was no such key. */
  remove(key: string): boolean {
    const existed = this.#document.deleteIn(['config', key]);
    if (existed) this.#changed = true;
    if (this.own().size === 0) this.#document.delete('config');
    return existed;
  }

  /** These values and no others. */
  replace(values: ConfigMap): void {
    if (this.#document.contents !== null && this.#document.delete('config')) this.#changed = true;
    for (const [key, value] of values) this.set(key, value);
  }

  #set(path: readonly string[], value: Json): void {
    if (this.#document.contents === null) this.#document.contents = this.#document.createNode({}) as never;
    this.#document.setIn(path, this.#document.createNode(value));
    this.#changed = true;
  }

  async save(): Promise<void> {
    if (!this.#changed) return;
    try {
      await writeThrough(this.file, this.#document.toString({lineWidth: 0}));
    } catch (cause) {
      throw new EngineError(`${this.file}: cannot be written: ${whyUnwritable(cause)}`, {cause});
    }
    this.#changed = false;
  }

  /** Whatever it holds. */
  static async remove(project: Project, stack: string): Promise<void> {
    const file = fileOf(project, stack);
    await changing(file, () => rm(file, {force: true}));
  }

  /** Resolves to what undoes it. */
  async rename(stack: string): Promise<() => Promise<void>> {
    if ((await readIfThere(this.file)) === undefined) return async () => undefined;
    const target = fileOf(this.#project, stack);
    await changing(this.file, () => rename(this.file, target));
    return () => changing(this.file, () => rename(target, this.file));
  }
}

const fileOf = (project: Project, stack: string): string => join(project.stackConfigFolder, `Pulumi.${stack}.yaml`);

async function storedText(path: string, named: NamedConfigFile | undefined): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (isMissingFile(cause) && named?.mayBeMissing !== false) return '';
    throw new EngineError(`${named?.said ?? path}: cannot be read: ${whyUnreadable(cause)}`, {cause});
  }
}

/** `config:` of Pulumi.yaml: plain values, `{value}` and `{default}`. Declarations without either give nothing. */
export function projectConfig(project: Project): ConfigMap {
  const values = new Map<string, Json>();
  for (const [key, declared] of Object.entries(project.config)) {
    const value = declaredValue(declared as Json);
    if (value !== undefined) values.set(fullConfigKey(key, project.name), value);
  }
  return values;
}

function declaredValue(declared: Json): Json | undefined {
  if (!isJsonObject(declared)) return declared;
  if ('value' in declared) return declared['value'];
  if ('default' in declared) return declared['default'];
  return isDeclaration(declared) ? undefined : declared;
}
