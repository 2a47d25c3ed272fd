// SPDX-License-Identifier: Apache-2.0
/**
 * A verified rule set on disk: `rulesets/<version>/` with the active rules, one a line (`00-name.rules`, … for each file of the user), the
 * files that they name, and `verified.json`, written last: a folder without it is not trusted and made again.
 */
import {chmod, mkdir, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {basename, join} from 'node:path';
import type {RuleReport} from '../rule-report.ts';
import type {EngineExtras} from '../suricata/engine-files.ts';
import type {Sections} from '../suricata/settings/sections.ts';
import type {VariableGroups} from '../suricata/settings/variable-groups.ts';
import {splitRules} from './parse-rule.ts';
import type {GivenRule} from './rule-files.ts';
import type {SideFiles} from './source/side-files.ts';

export type RuleSetFile = {
  /** Name in the rule set's folder. */
  readonly name: string;
  /** As the user gave it; of a folder or an archive with the place in it. */
  readonly source: string;
};

/** What users set of suricata.yaml. */
export type SetSettings = {readonly variables: VariableGroups; readonly sections: Sections};

/** The content of `verified.json`. */
export type Verified = {
  readonly files: readonly RuleSetFile[];
  readonly report: RuleReport;
  readonly settings: SetSettings;
  readonly extras: EngineExtras;
  /** Names of the files that rules or settings name. */
  readonly side: readonly string[];
};

const VERIFIED_FILE = 'verified.json';
/** Rule sets that stay on disk: the active one and the ones before it. */
const KEPT_MAX = 3;
/** Ends the name of a folder that is there only while its rules are verified. */
export const SCRATCH_END = '.verify';

/** Characters of a rule file's own name in the rule set; a file system takes 255 bytes, with what is put around it. */
const NAME_KEPT_MAX = 100;
export const safeName = (index: number, path: string): string =>
  `${String(index).padStart(2, '0')}-${basename(path)
    .slice(-NAME_KEPT_MAX)
    .replace(/[^A-Za-z0-9._-]/g, '_')}`;

/** Undefined: there is no such set, or it was not finished. */
export const readVerified = async (folder: string): Promise<Verified | undefined> => {
  try {
    const found = JSON.parse(await readFile(join(folder, VERIFIED_FILE), 'utf8')) as Partial<Verified>;
    const {files, report, settings, extras, side} = found;
    if (files === undefined || report === undefined || settings === undefined) return undefined;
    if (extras === undefined || side === undefined) return undefined;
    for (const name of side) await stat(join(folder, name));
    return {files, report, settings, extras, side};
  } catch {
    return undefined; // it is made again
  }
};

export const verifiedAtMs = async (folder: string): Promise<number> =>
  (await stat(join(folder, VERIFIED_FILE))).mtimeMs;

/** Readable for Suricata's user whatever our umask, and never changed. */
const MODE = 0o444;
export const writeSideFiles = async (folder: string, side: SideFiles): Promise<void> => {
  for (const [name, content] of side) {
    await writeFile(join(folder, name), content);
    await chmod(join(folder, name), MODE);
  }
};

/** `loaded`: with the index of its file among `verified.files`. */
export const writeSet = async (
  folder: string,
  verified: Verified,
  loaded: readonly (readonly [fileIndex: number, rule: GivenRule])[],
  side: SideFiles,
): Promise<void> => {
  await rm(folder, {recursive: true, force: true});
  await mkdir(folder, {recursive: true, mode: 0o700});
  for (const [index, {name}] of verified.files.entries()) {
    const lines = loaded.filter(([fileIndex]) => fileIndex === index).map(([, rule]) => `${rule.engineText}\n`);
    await writeFile(join(folder, name), lines.join(''));
    await chmod(join(folder, name), MODE);
  }
  await writeSideFiles(folder, side);
  await writeFile(join(folder, VERIFIED_FILE), JSON.stringify(verified), {mode: 0o600});
};

/** The texts of the active rules. */
export const readSet = async (folder: string, files: readonly RuleSetFile[]): Promise<string[]> => {
  const texts = await Promise.all(files.map(({name}) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap(text => splitRules(text).map(rule => rule.text));
};

/** Removes the oldest rule sets, but for those in `keep`, and what a crash left of refused ones. */
export const prune = async (dir: string, keep: readonly string[]): Promise<void> => {
  const names = (await readdir(dir)).filter(name => !keep.includes(name));
  const aged = await Promise.all(
    names.map(async name => ({
      name,
      isScratch: name.endsWith(SCRATCH_END),
      ms: (await stat(join(dir, name))).mtimeMs,
    })),
  );
  const sets = aged.filter(({isScratch}) => !isScratch).sort((a, b) => b.ms - a.ms);
  const old = [...aged.filter(({isScratch}) => isScratch), ...sets.slice(Math.max(KEPT_MAX - keep.length, 0))];
  for (const {name} of old) await rm(join(dir, name), {recursive: true, force: true});
};
