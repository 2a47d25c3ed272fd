// SPDX-License-Identifier: Apache-2.0
/** A Node program runs through the SDK's own entry point, found from the program's folder. */
import {existsSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {EngineError} from '../engine-error.ts';
import {shellWords} from '../shell-word.ts';
import {isJsonObject} from '../state/resource-json.ts';
import type {Project} from '../workspace/project.ts';
import {contentOf, parseYaml} from '../workspace/yaml-file.ts';
import type {Command, ProgramPlace, ProgramRun} from './program-run.ts';

/** What a folder that is the program begins with, besides what `require` finds there. */
const NODE_ENTRIES = ['index.ts', 'index.tsx', 'index.mjs', 'index.mts'];
/** What the SDK's ts-node has `require` add to the `main` of a package.json, besides Node's own. */
const TYPESCRIPT_ENDINGS = ['.ts', '.tsx', '/index.ts', '/index.tsx'];
const MANIFESTS = ['package.json', 'package.yaml'];

export function nodeCommand(run: ProgramRun): Command {
  const {options} = run.project.runtime;
  const args = [
    '--disable-warning=PromiseRejectionHandledWarning', // the SDK waits for some promises late, and reports what became of them
    ...nodeArguments(run.project),
    findNodeRunner(run.folder),
    '--monitor', run.monitor,
    '--engine', run.monitor,
    '--organization', run.organization,
    '--project', run.project.name,
    '--root-directory', run.project.folder,
    '--stack', run.stack,
    '--pwd', run.folder,
    ...(run.dryRun ? ['--dry-run'] : []),
    '--parallel', String(run.parallel),
    run.main,
  ]; // biome-ignore format: pairs
  return {
    file: process.execPath,
    args,
    env: {
      PULUMI_CONFIG: JSON.stringify(run.config),
      PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(run.secretKeys),
      PULUMI_NODEJS_TYPESCRIPT: options['typescript'] === false ? 'false' : 'true',
      ...(typeof options['tsconfig'] === 'string' ? {PULUMI_NODEJS_TSCONFIG_PATH: options['tsconfig']} : {}),
    },
  };
}

/** `runtime.options.nodeargs`. Throws EngineError when a quote is not closed. */
export function nodeArguments({file, runtime}: Project): readonly string[] {
  const line = runtime.options['nodeargs'];
  const words = shellWords(typeof line === 'string' ? line : '');
  if (words === undefined)
    throw new EngineError(`${file}: runtime.options.nodeargs: unclosed quote in ${String(line)}: close it`);
  return words;
}

/** The SDK's entry point as the program's folder sees it. Throws EngineError when it is not installed. */
export function findNodeRunner(folder: string): string {
  const require = createRequire(join(folder, 'package.json'));
  try {
    return require.resolve('@pulumi/pulumi/cmd/run');
  } catch (cause) {
    throw new EngineError(
      `@pulumi/pulumi was not found from ${folder}: install the program's packages there first: npm install, with the SDKs of palisade as files (make sdk: build/sdk/packs/*.tgz), since they are not on npm`,
      {cause},
    );
  }
}

/** Throws EngineError when neither the folder nor its package has a file to begin with. Ref: @pulumi/pulumi cmd/run. */
export function assertNodeEntry({file}: Project, {folder, main}: ProgramPlace): void {
  if (main !== '.' || hasEntry(folder)) return;
  const {manifest, named, required} = packageEntry(folder);
  if (named !== undefined && existsSync(join(dirname(manifest), named))) return;
  const isOwn = manifest === join(folder, 'package.json'); // the runner falls back to require(folder), which reads no other
  if (isOwn && required !== undefined && TYPESCRIPT_ENDINGS.some(end => existsSync(join(folder, required + end))))
    return;
  const why = named === undefined ? '' : `, and ${named}, which ${manifest} names, does not exist`;
  throw new EngineError(
    `no index.ts or index.js in ${folder}${why}: write or build the program there, or name its file with main in ${file}`,
  );
}

function hasEntry(folder: string): boolean {
  if (NODE_ENTRIES.some(name => existsSync(join(folder, name)))) return true;
  try {
    createRequire(join(folder, 'package.json')).resolve(`${folder}/`);
    return true;
  } catch {
    return false;
  }
}

type PackageEntry = {
  readonly manifest: string;
  /** By `exports` or `main`: a file as it is written. */
  readonly named?: string | undefined;
  /** By `main` for `require`, which also completes it. */
  readonly required?: string | undefined;
};

/** What the nearest package.json (with pnpm also package.yaml) gives as the entry point. */
function packageEntry(folder: string): PackageEntry {
  const manifest = MANIFESTS.map(name => join(folder, name)).find(path => existsSync(path));
  if (manifest === undefined) return dirname(folder) === folder ? {manifest: folder} : packageEntry(dirname(folder));
  const content = contentOf(parseYaml(readFileSync(manifest, 'utf8'), manifest), manifest); // JSON is YAML
  const {exports, main, type} = isJsonObject(content) ? content : {};
  const own = isJsonObject(exports) ? exports['.'] : exports;
  const given = isJsonObject(own) ? (own['default'] ?? own['require'] ?? own['import']) : (own ?? main);
  return {
    manifest,
    named: typeof given === 'string' ? given : undefined,
    required: typeof main === 'string' && type !== 'module' ? main : undefined,
  };
}
