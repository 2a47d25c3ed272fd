// SPDX-License-Identifier: Apache-2.0
/**
 * The file backend, in the CLI's own layout, so that either program can take over a stack:
 *
 *   <root>/.pulumi/meta.yaml                                        version: 1
 *   <root>/.pulumi/stacks/<project>/<stack>.json  (+ .bak)          the checkpoint, and the one before it
 *   <root>/.pulumi/backups/<project>/<stack>/<stack>.<ns>.json      a copy after every operation
 *   <root>/.pulumi/history/<project>/<stack>/<stack>-<ns>.{history,checkpoint}.json
 *   <root>/.pulumi/locks/organization/<project>/<stack>/<uuid>.json
 *
 * Ref: Pulumi pkg/backend/diy (project layout, version 1).
 */
import {rename, rm, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {EngineError, StateFault, UnreadableState} from '../engine-error.ts';
import type {JsonObject} from '../state/resource-json.ts';
import {isJsonObject} from '../state/resource-json.ts';
import {atNewest, DEPLOYMENT_VERSION} from '../state/state-format.ts';
import type {System} from '../system.ts';
import {whyUnusable} from './file-faults.ts';
import {readIfThere, writeDurably} from './files.ts';
import {acquireLock, type Lock, removeLocks} from './lock.ts';
import {makeFolder} from './make-folder.ts';
import {checkedReference, ORGANIZATION, qualifiedName, type StackReference} from './stack-reference.ts';
import {changing, listState, readState, writeState} from './state-files.ts';
import {assertWithin} from './within.ts';

export const LAYOUT_VERSION = '1';

/** One line of a stack's history. Times are seconds since the epoch. */
export type UpdateRecord = {
  readonly version?: number;
  readonly kind: 'update' | 'refresh' | 'destroy' | 'resource-import' | 'rename';
  readonly startTime: number;
  readonly endTime: number;
  readonly message: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly config: JsonObject;
  readonly result: 'succeeded' | 'failed';
  /** The CLI leaves it out when there are none. */
  readonly resourceChanges?: Readonly<Record<string, number>>;
};

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );

export class FileBackend {
  readonly url: string;
  /** What the user named: it is not made. */
  readonly #named: string;
  readonly #root: string;
  readonly #system: System;
  readonly #note: (line: string) => void;
  #lastStamp = 0n;

  constructor(options: {root: string; url: string; system: System; note: (line: string) => void}) {
    this.#named = options.root;
    this.#root = join(options.root, '.pulumi');
    this.url = options.url;
    this.#system = options.system;
    this.#note = options.note;
  }

  /**
   * Makes a new store in a folder that is there, or checks that the one found is of the layout that this engine knows. A folder that
   * is not there is no empty store: its name may have a slip. Ref: Pulumi CLI v3.259, "unable to open state directory".
   */
  async open(): Promise<void> {
    if (!(await this.#reach(() => isThere(this.#named))))
      throw new EngineError(
        `${this.url}: there is no folder ${this.#named}; create it, or correct the address (PULUMI_BACKEND_URL, or backend.url in Pulumi.yaml)`,
      );
    const meta = await this.#reach(() => readIfThere(join(this.#root, 'meta.yaml')));
    if (meta === undefined) {
      const stacks = await listState(join(this.#root, 'stacks'));
      if (stacks.some(name => name.endsWith('.json')))
        throw new EngineError(
          `${this.url} has the old layout without projects: run "pulumi state upgrade" on it first`,
        );
      await this.#reach(() => writeDurably(join(this.#root, 'meta.yaml'), `version: ${LAYOUT_VERSION}\n`));
      return;
    }
    const version = /^version:\s*(\d+)\s*$/m.exec(meta)?.[1];
    if (version !== LAYOUT_VERSION)
      throw new EngineError(
        `${this.url}: meta.yaml has version ${version ?? 'none'}; this engine knows version ${LAYOUT_VERSION}; use the Pulumi CLI that wrote it, or another folder`,
      );
  }

  async #reach<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      throw new EngineError(`${this.url}: ${whyUnusable(cause)}; choose a folder that this user may write`, {cause});
    }
  }

  stackFile(ref: StackReference): string {
    return `${this.#path('stacks', ref)}.json`;
  }

  #folder(kind: 'backups' | 'history', ref: StackReference): string {
    return this.#path(kind, ref);
  }

  /** Every path of a stack is made here. Throws for a name that would lead elsewhere. */
  #path(kind: string, ref: StackReference): string {
    const {project, name} = checkedReference(ref);
    return join(this.#root, kind, project, name);
  }

  /** Throws when there is one that only the CLI can read. */
  async exists(ref: StackReference): Promise<boolean> {
    const path = this.stackFile(ref);
    if ((await readState(path)) !== undefined) return true;
    await refuseCompressed(path);
    return false;
  }

  /** All stacks of all projects, sorted. */
  async list(): Promise<readonly StackReference[]> {
    const found: StackReference[] = [];
    for (const project of await listState(join(this.#root, 'stacks'))) {
      if (project.includes('.json')) continue;
      for (const file of await listState(join(this.#root, 'stacks', project)))
        if (file.endsWith('.json')) found.push({project, name: file.slice(0, -'.json'.length)});
    }
    return found.sort((a, b) => (qualifiedName(a) < qualifiedName(b) ? -1 : 1));
  }

  /** The deployment of the checkpoint (undefined: the stack was never deployed). Throws when there is no such stack. */
  async load(ref: StackReference): Promise<JsonObject | undefined> {
    const path = this.stackFile(ref);
    const text = await readState(path);
    if (text === undefined) {
      await refuseCompressed(path);
      throw new EngineError(`no stack named '${ref.name}' found in ${this.url} (project ${ref.project})`);
    }
    return checkpointDeployment(path, text);
  }

  /** Throws a fault of the state as UnreadableState, with its file and the way out; anything else as it is. */
  throwFault(ref: StackReference, error: unknown): never {
    if (!(error instanceof StateFault)) throw error;
    throw new UnreadableState(this.faultText(ref, error), {cause: error});
  }

  /** With the file and the way out. */
  faultText(ref: StackReference, {message}: StateFault): string {
    const path = this.stackFile(ref);
    return `${path}: ${message}; ${wayBack(path)}`;
  }

  /** Where a checkpoint is kept that cannot be read, when it is replaced: the `.bak` may be the last good one. A new name each time. */
  unreadableFile(ref: StackReference): string {
    return `${this.stackFile(ref)}.unreadable-${this.#stamp()}`;
  }

  /**
   * Replaces the checkpoint; `latest` is the JSON of the deployment, as text or as UTF-8 in pieces. `keepPrevious`: the file that the
   * one before becomes, else its `.bak`.
   */
  async save(
    ref: StackReference,
    latest: string | readonly Uint8Array[],
    {keepPrevious}: {readonly keepPrevious?: string | undefined} = {},
  ): Promise<void> {
    const path = this.stackFile(ref);
    const head = `{"version":${DEPLOYMENT_VERSION},"checkpoint":{"stack":${JSON.stringify(qualifiedName(ref))},"latest":`;
    const pieces = typeof latest === 'string' ? [Buffer.from(latest)] : latest;
    const content = [Buffer.from(head), ...pieces, Buffer.from('}}')];
    await writeState(path, content, {keepPrevious: keepPrevious ?? `${path}.bak`});
  }

  /** Throws EngineError naming the holder when another process works on the stack. */
  async lock(ref: StackReference): Promise<Lock> {
    const folder = this.lockFolder(ref);
    await assertWithin(this.#root, join(folder, 'lock'));
    return acquireLock({folder, system: this.#system, note: this.#note});
  }

  lockFolder(ref: StackReference): string {
    return this.#path(join('locks', ORGANIZATION), ref);
  }

  /** Removes all locks, also those of other processes; returns how many there were. */
  async unlock(ref: StackReference): Promise<number> {
    const folder = this.lockFolder(ref);
    await assertWithin(this.#root, join(folder, 'lock'));
    return removeLocks(folder);
  }

  /** After an operation: the history pair and the backup copy; when it throws, none of them. */
  async record(ref: StackReference, update: UpdateRecord): Promise<void> {
    const checkpoint = await readState(this.stackFile(ref));
    if (checkpoint === undefined) return;
    const {kind, startTime, message, environment, config, result, endTime, resourceChanges} = update;
    const history = JSON.stringify({
      kind, startTime, message, environment, config, version: 0, result, endTime, resourceChanges,
    }); // biome-ignore format: in the CLI's order
    const stamp = this.#stamp();
    const prefix = join(this.#folder('history', ref), `${ref.name}-${stamp}`);
    const files = [
      [join(this.#folder('backups', ref), `${ref.name}.${stamp}.json`), checkpoint],
      [`${prefix}.checkpoint.json`, checkpoint],
      [`${prefix}.history.json`, history], // last: it is the one that commands look for
    ] as const;
    try {
      for (const [path, text] of files) await writeState(path, text);
    } catch (error) {
      for (const [path] of files) await rm(path, {force: true}).catch(() => undefined); // all of them or none
      throw error;
    }
  }

  /** Copies the checkpoint to where no later write replaces it; resolves to the file. Throws when there is no checkpoint. */
  async backUp(ref: StackReference): Promise<string> {
    const checkpoint = await readState(this.stackFile(ref));
    if (checkpoint === undefined) throw new EngineError(`no stack named '${ref.name}' found in ${this.url}`);
    const copy = join(this.#folder('backups', ref), `${ref.name}.${this.#stamp()}.json`);
    await writeState(copy, checkpoint);
    return copy;
  }

  /** What was done to the stack, newest first. */
  async history(ref: StackReference): Promise<UpdateRecord[]> {
    const folder = this.#folder('history', ref);
    const stampOf = (name: string): bigint => BigInt(STAMP.exec(name)?.[1] ?? 0);
    const names = (await listState(folder)).filter(name => name.startsWith(`${ref.name}-`) && STAMP.test(name));
    names.sort((a, b) => (stampOf(a) < stampOf(b) ? 1 : -1));
    return Promise.all(names.map(async name => parseUpdate(join(folder, name))));
  }

  /** Nanoseconds since the epoch, always growing. */
  #stamp(): string {
    const now = BigInt(this.#system.clock.now().getTime()) * 1_000_000n;
    this.#lastStamp = now > this.#lastStamp ? now : this.#lastStamp + 1n;
    return String(this.#lastStamp);
  }

  /** The checkpoint stays as `.bak`, the history goes; `backups` too when asked. */
  async remove(ref: StackReference, options: {backups: boolean}): Promise<void> {
    const path = this.stackFile(ref);
    for (const each of [path, this.#folder('backups', ref), this.#folder('history', ref)])
      await assertWithin(this.#root, each);
    await changing(path, () => rename(path, `${path}.bak`));
    await rm(`${path}.attrs`, {force: true});
    if (options.backups) {
      await rm(`${path}.bak`, {force: true});
      await rm(this.#folder('backups', ref), {recursive: true, force: true});
    }
    await rm(this.#folder('history', ref), {recursive: true, force: true});
  }

  /** Moves the history to the new name; the checkpoint itself is written by the caller (its URNs change). */
  async moveHistory(from: StackReference, to: StackReference): Promise<void> {
    const source = this.#folder('history', from);
    await assertWithin(this.#root, source);
    for (const file of await listState(source)) {
      if (!file.startsWith(`${from.name}-`)) continue;
      const target = this.#folder('history', to);
      await makeFolder(target);
      await rename(join(source, file), join(target, to.name + file.slice(from.name.length)));
    }
  }
}

const REMOVE = 'the state does not depend on it: delete it to see the other entries';
const STAMP = /-(\d+)\.history\.json$/;

async function parseUpdate(path: string): Promise<UpdateRecord> {
  const text = await readState(path);
  let record: unknown;
  try {
    record = JSON.parse(text ?? '');
  } catch (cause) {
    throw new EngineError(`${path} is not valid JSON; ${REMOVE}`, {cause});
  }
  const times = isJsonObject(record) ? [record['startTime'], record['endTime']] : [];
  if (times.length === 0 || !times.every(time => typeof time === 'number'))
    throw new EngineError(`${path} contains no operation record; ${REMOVE}`);
  const {config, environment, ...others} = record as UpdateRecord;
  return {...others, config: config ?? {}, environment: environment ?? {}};
}

/** A stack that the CLI keeps compressed must not be taken for one that is not there. */
async function refuseCompressed(path: string): Promise<void> {
  for (const compressed of [`${path}.gz`, `${path}.zst`])
    if ((await readState(compressed)) !== undefined)
      throw new EngineError(
        `${compressed}: compressed state is not supported; run "pulumi up" or "pulumi stack import" once without compression`,
      );
}

const wayBack = (path: string): string => `copy ${path}.bak over ${path}, or palisade stack import --file GOOD.json`;

/** Throws UnreadableState. */
function checkpointDeployment(path: string, text: string): JsonObject | undefined {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (cause) {
    throw new UnreadableState(`${path} is not valid JSON; ${wayBack(path)}`, {cause});
  }
  if (!isJsonObject(file) || !isJsonObject(file['checkpoint']))
    throw new UnreadableState(`${path} contains no checkpoint; ${wayBack(path)}`);
  const latest = file['checkpoint']['latest'] ?? undefined;
  if (latest !== undefined && !isJsonObject(latest))
    throw new UnreadableState(`${path} contains no deployment; ${wayBack(path)}`);
  try {
    return atNewest(latest, file['version']);
  } catch (cause) {
    throw cause instanceof StateFault ? new UnreadableState(`${path}: ${cause.message}`, {cause}) : cause;
  }
}
