// SPDX-License-Identifier: Apache-2.0
/** What operations start from: the project, the backend, and the stack that is meant. */
import {readFileSync} from 'node:fs';
import {isAbsolute, resolve} from 'node:path';
import {type PropertyMap, type PropertyValue, secretOf} from '@palisade/provider';
import {backendUrl, type Env, fileBackendFolder} from '../backend/backend-url.ts';
import {FileBackend} from '../backend/file-backend.ts';
import {whyUnreadable} from '../backend/file-faults.ts';
import {parseStackReference, qualifiedName, type StackReference} from '../backend/stack-reference.ts';
import {Autonamer} from '../deploy/providers/autonaming.ts';
import type {ProviderFactories} from '../deploy/providers/provider-registry.ts';
import {EngineError, UnreadableState} from '../engine-error.ts';
import {type Deployment, readDeployment, saltOf} from '../state/deployment-file.ts';
import {assertSound} from '../state/integrity.ts';
import {SecretsManager} from '../state/secrets.ts';
import {realSystem, type System} from '../system.ts';
import {type ConfigMap, configText, holdsSecure, revealConfig} from '../workspace/config-value.ts';
import {findProjectFile, loadProject, type Project} from '../workspace/project.ts';
import {pulumiSettings} from '../workspace/pulumi-settings.ts';
import {selectedStack, selectStack} from '../workspace/selection.ts';
import {StackConfig} from '../workspace/stack-config.ts';
import {missingStack} from './missing-stack.ts';
import type {ProgramConfig} from './operations.ts';

type ConfigOptions = {readonly mayBeMissing?: boolean};
/** `mayBeUnsound`: for what replaces or mends the state. */
type OpenOptions = ConfigOptions & {readonly mayBeUnsound?: boolean};

/** A file that the user named; `said` is how messages call it. */
export type NamedFile = {readonly path: string; readonly said: string};

export type WorkspaceOptions = {
  /** Absolute path of the folder to work in. */
  readonly cwd: string;
  readonly env: Env;
  /** Name of the stack to work on; undefined: the selected one. */
  readonly stack?: string | undefined;
  /** Used instead of Pulumi.<stack>.yaml; its path is relative to `cwd`. */
  readonly configFile?: NamedFile | undefined;
  /** Packages built into the engine, by name. */
  readonly providers: ProviderFactories;
  /** Gets lines for the user that are no result. */
  readonly note: (line: string) => void;
  /** Default: the real clock, randomness and process. */
  readonly system?: System | undefined;
};

/** A project folder with its backend and its stacks. */
export class Workspace {
  readonly cwd: string;
  readonly env: Env;
  readonly providers: ProviderFactories;
  readonly system: System;
  readonly note: (line: string) => void;
  readonly #options: WorkspaceOptions;
  #project: Project | undefined;
  #backend: FileBackend | undefined;
  readonly #secrets = new Map<string, SecretsManager>();

  constructor(options: WorkspaceOptions) {
    this.#options = options;
    this.cwd = options.cwd;
    this.env = options.env;
    this.providers = options.providers;
    this.system = options.system ?? realSystem();
    this.note = options.note;
  }

  /** Throws when there is no Pulumi.yaml. */
  get project(): Project {
    this.#project ??= loadProject(this.cwd);
    return this.#project;
  }

  get hasProject(): boolean {
    return findProjectFile(this.cwd) !== undefined;
  }

  async backend(): Promise<FileBackend> {
    if (this.#backend !== undefined) return this.#backend;
    const {url, from} = backendUrl(this.env, this.hasProject ? this.project.backendUrl : undefined);
    const root = fileBackendFolder(url, this.env, this.cwd, from);
    const backend = new FileBackend({root, url, system: this.system, note: line => this.note(`note: ${line}`)});
    await backend.open();
    this.#backend = backend;
    return backend;
  }

  reference(name: string): StackReference {
    return parseStackReference(name, this.hasProject ? this.project.name : undefined);
  }

  /** Name of the selected stack, or undefined. */
  async selected(env = this.env): Promise<string | undefined> {
    return selectedStack(this.project, env, (await this.backend()).url);
  }

  async select(ref: StackReference | undefined): Promise<void> {
    const name = ref === undefined ? undefined : qualifiedName(ref);
    await selectStack(this.project, this.env, (await this.backend()).url, name);
  }

  /** Name of the stack that the caller gave. */
  get givenStack(): string | undefined {
    return this.#options.stack;
  }

  /** The given stack, else the selected one. Throws when there is neither or when it does not exist (`isNew`: yet). */
  async currentStack({isNew = false} = {}): Promise<StackReference> {
    const name = this.givenStack ?? (await this.selected());
    if (name === undefined)
      throw new EngineError(
        'no stack selected; choose one with `palisade stack select` or `palisade stack init`, or give --stack NAME',
      );
    const ref = this.reference(name);
    const backend = await this.backend();
    if (!(await backend.exists(ref))) throw await missingStack(backend, {ref, text: name, isNew});
    return ref;
  }

  /** A configuration file that the caller named must exist unless `mayBeMissing`. */
  async stackConfig(ref: StackReference, options: ConfigOptions = {}): Promise<StackConfig> {
    const {configFile: file} = this.#options;
    const mayBeMissing = options.mayBeMissing === true;
    const named = file === undefined ? undefined : {path: resolve(this.cwd, file.path), said: file.said, mayBeMissing};
    const config = await StackConfig.open(this.project, ref.name, named);
    const provider = config.secretsProvider;
    if (provider !== undefined && provider !== 'passphrase' && provider !== 'default')
      throw new EngineError(
        `${config.file}: secretsprovider "${provider}": only the passphrase secrets manager is supported`,
      );
    return config;
  }

  /** One for each salt: the key of a salt is derived once. */
  secretsManager(salt: string | undefined): SecretsManager {
    const known = salt === undefined ? undefined : this.#secrets.get(salt);
    if (known !== undefined) return known;
    const made = new SecretsManager({state: salt, passphrase: () => this.#passphrase(), random: this.system.random});
    if (salt !== undefined) this.#secrets.set(salt, made);
    return made;
  }

  #passphrase(): string | undefined {
    const {PULUMI_CONFIG_PASSPHRASE: passphrase, PULUMI_CONFIG_PASSPHRASE_FILE: file} = this.env;
    if (passphrase !== undefined) return passphrase;
    if (file === undefined || file === '') return undefined;
    try {
      return readFileSync(isAbsolute(file) ? file : resolve(this.cwd, file), 'utf8').trim();
    } catch (cause) {
      throw new EngineError(`PULUMI_CONFIG_PASSPHRASE_FILE ${file}: cannot be read: ${whyUnreadable(cause)}`, {cause});
    }
  }

  /** The stack with its secrets and its state. Throws EngineError for a state that does not fit together. */
  async openStack(ref: StackReference, options: OpenOptions = {}): Promise<OpenStack> {
    const backend = await this.backend();
    const json = await backend.load(ref);
    const config = await this.#configOf(ref, options);
    const stateSalt = saltOf(json);
    const secrets = this.secretsManager(config?.encryptionSalt ?? stateSalt);
    // After a change of passphrase the state may still have the salt it was written with.
    const reader = stateSalt === undefined || stateSalt === secrets.state ? secrets : this.secretsManager(stateSalt);
    try {
      const state = await readDeployment(json, reader);
      if (options.mayBeUnsound !== true) assertSound(state.resources);
      return {ref, config, secrets, state};
    } catch (error) {
      return backend.throwFault(ref, error);
    }
  }

  /** For what replaces the whole state, whatever it is: undefined in place of one that cannot be read. */
  async openToReplace(ref: StackReference): Promise<Omit<OpenStack, 'state'> & {state: Deployment | undefined}> {
    try {
      return await this.openStack(ref, {mayBeUnsound: true});
    } catch (error) {
      if (!(error instanceof UnreadableState)) throw error;
      const config = await this.#configOf(ref);
      return {ref, config, secrets: this.secretsManager(config?.encryptionSalt), state: undefined};
    }
  }

  /** undefined outside the stack's project. */
  async #configOf(ref: StackReference, options: ConfigOptions = {}): Promise<StackConfig | undefined> {
    return this.hasProject && this.project.name === ref.project ? this.stackConfig(ref, options) : undefined;
  }
}

export type OpenStack = {
  readonly ref: StackReference;
  /** undefined outside the stack's project. */
  readonly config: StackConfig | undefined;
  readonly secrets: SecretsManager;
  readonly state: Deployment;
};

/** Derives the key; a new salt is kept in Pulumi.<stack>.yaml at once. */
export async function unlockSecrets({config, secrets}: Pick<OpenStack, 'config' | 'secrets'>): Promise<void> {
  await secrets.unlock();
  if (config === undefined || config.encryptionSalt !== undefined || secrets.state === undefined) return;
  config.encryptionSalt = secrets.state;
  await config.save();
}

/** Configuration as programs and providers get it. Unlocks the secrets when there are any. */
export async function revealedConfig(stack: OpenStack): Promise<{
  program: ProgramConfig;
  forPackage: (name: string) => PropertyMap;
  autonamer: Autonamer | undefined;
  disabledDefaults: readonly string[];
  merged: ConfigMap;
}> {
  const merged: ConfigMap = stack.config?.merged() ?? new Map();
  const secretKeys = [...merged].filter(([, value]) => holdsSecure(value)).map(([key]) => key);
  if (secretKeys.length > 0) await unlockSecrets(stack);
  const open = (sealed: string): string => stack.secrets.decrypt(sealed);
  const values = Object.fromEntries([...merged].map(([key, value]) => [key, configText(revealConfig(value, open))]));
  const {autonaming, disabledDefaults} = pulumiSettings(merged);
  const forPackage = (name: string): PropertyMap => {
    const map: Record<string, PropertyValue> = {};
    for (const [key, value] of Object.entries(values)) {
      if (!key.startsWith(`${name}:`)) continue;
      map[key.slice(name.length + 1)] = secretKeys.includes(key) ? secretOf(value) : value;
    }
    return map;
  };
  return {
    program: {values, secretKeys},
    forPackage,
    autonamer: autonaming === undefined ? undefined : new Autonamer(autonaming),
    disabledDefaults,
    merged,
  };
}
