// SPDX-License-Identifier: Apache-2.0
/**
 * A rule set: the rule files of all endpoints of a host, verified by `suricata -T` once per version and kept as files.
 *
 * version = hash(file contents + Suricata version + rendered configuration). On disk: `rulesets/<version>/` with the rule files as Suricata
 * sees them (`00-name.rules`, …) and `verified.json`, written last: a folder without it is not trusted and made again.
 */
import {isUtf8} from 'node:buffer';
import {createHash} from 'node:crypto';
import {constants, type Stats} from 'node:fs';
import {access, chmod, chown, mkdir, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {RULE_FAULTS_MAX, RULE_FILE_BYTES_MAX, type SensorLimits} from '../limits.ts';
import {linkFiles} from '../link-files.ts';
import type {Timers} from '../ports.ts';
import {isSensorError, type RuleFault, SensorError, systemCode} from '../sensor-error.ts';
import type {SuricataBinary} from '../suricata/binary.ts';
import {type ConfigInput, type PatternMatcher, renderConfig} from '../suricata/config.ts';
import type {RunAs} from '../suricata/process.ts';
import {verifyRules} from '../suricata/verify.ts';
import {forbiddenIn, type RuleText, type Signature, splitRules, toSignature, withoutRules} from './parse-rule.ts';
import {counted, ruleError} from './refused-rules.ts';

export type RuleSetFile = {
  /** Name in the rule set's folder. */
  readonly name: string;
  /** As the user gave it. */
  readonly source: string;
};
export type RuleSet = {
  /** 16 hex digits. */
  readonly version: string;
  readonly folder: string;
  readonly files: readonly RuleSetFile[];
  /** By threat id; also those of commented-out nothing: only rules that are in force. */
  readonly signatures: ReadonlyMap<string, Signature>;
  readonly patternMatcher: PatternMatcher;
  /** Lines with rules that Suricata skips since they are indented, at most `RULE_FAULTS_MAX`. */
  readonly indented: readonly RuleLine[];
};

export type RuleLine = {readonly file: string; readonly line: number};

export type CompileOptions = {
  /** Folder of all rule sets. */
  readonly dir: string;
  readonly suricata: SuricataBinary;
  readonly runAs: RunAs | undefined;
  readonly homeNet: string;
  readonly decodeVxlan: boolean;
  /** `auto`: by the number of rules. */
  readonly patternMatcher: PatternMatcher | 'auto';
  readonly timers: Timers;
  readonly limits: SensorLimits;
  /** Ends a verification under way. */
  readonly signal: AbortSignal;
};

type ConfigOptions = Pick<CompileOptions, 'homeNet' | 'decodeVxlan'>;

const VERIFIED_FILE = 'verified.json';
/** Rule sets that stay on disk: the one in force and the ones before it. */
const KEPT_MAX = 3;
/** Ends the name of a folder that is there only while refused rules are looked at. */
const SCRATCH_END = '.refused';
/** Above this the compile time of Hyperscan (1.4 ms a rule) costs more at each start than its speed gives back. */
const HYPERSCAN_RULES_MAX = 12_000;

type LoadedFile = RuleSetFile & {
  readonly text: string;
  /** What `text` was read as, and is written as: Suricata gets every byte that the file has. */
  readonly encoding: 'utf8' | 'latin1';
};

const safeName = (index: number, source: string): string =>
  `${String(index).padStart(2, '0')}-${basename(source).replace(/[^A-Za-z0-9._-]/g, '_')}`;

const WHY_NOT_READ: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'not permitted to read it',
  EISDIR: 'it is a folder',
};

/** What `read` gives of a file that is not too large, or why it cannot be read. */
const ofRuleFile = async <T extends object>(source: string, read: () => Promise<T | string>): Promise<T | string> => {
  try {
    const {size} = await stat(source);
    return size > RULE_FILE_BYTES_MAX ? `${source}: larger than ${RULE_FILE_BYTES_MAX} bytes` : await read();
  } catch (error) {
    return `${source}: ${WHY_NOT_READ[systemCode(error) ?? ''] ?? String(error)}`;
  }
};

const unlessFaulty = <T extends object>(results: readonly (T | string)[]): T[] => {
  const faults = results.filter(result => typeof result === 'string');
  if (faults.length > 0) throw new SensorError('rule-file', `Rule file ${faults.join('; rule file ')}`);
  return results.filter(result => typeof result !== 'string');
};

/** A file may have bytes beyond ASCII that are no UTF-8. */
const decoded = (file: RuleSetFile, bytes: Buffer): LoadedFile => {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  return {...file, text: bytes.toString(encoding), encoding};
};

const readRuleFile = async (file: RuleSetFile): Promise<LoadedFile | string> => {
  const bytes = await readFile(file.source);
  return bytes.includes(0) ? `${file.source}: it is no text: there is a NUL byte in it` : decoded(file, bytes);
};

/** All files or SensorError `rule-file` with all faults. */
const readRuleFiles = async (sources: readonly string[]): Promise<LoadedFile[]> =>
  unlessFaulty(
    await Promise.all(
      sources.map((source, index) => ofRuleFile(source, () => readRuleFile({name: safeName(index, source), source}))),
    ),
  );

/**
 * Whether the files could be read, without reading any: a pipe gives its text only once. Throws SensorError `rule-file` with
 * all faults.
 */
export const checkRuleFiles = async (sources: readonly string[]): Promise<void> => {
  const open = async (source: string): Promise<Stats> => {
    const info = await stat(source);
    if (info.isDirectory()) throw Object.assign(new Error('EISDIR'), {code: 'EISDIR'});
    await access(source, constants.R_OK);
    return info;
  };
  unlessFaulty(await Promise.all(sources.map(source => ofRuleFile(source, () => open(source)))));
};

type Parsed = {
  readonly signatures: ReadonlyMap<string, Signature>;
  /** Rules that are refused by us. */
  readonly faults: readonly RuleFault[];
  /** The files without those rules; every other one keeps its line. */
  readonly rest: readonly LoadedFile[];
  readonly indented: readonly RuleLine[];
};

/** Suricata says so too, but neither which rule nor where. Bytes of a file's comments do no harm. */
const NOT_UTF8 = 'the rule is not valid UTF-8: write a byte of a content as |E9|, and other text in UTF-8';

/** Undefined: the rule holds bytes that are no UTF-8. */
const inUtf8 = (rule: string, encoding: LoadedFile['encoding']): string | undefined => {
  if (encoding === 'utf8') return rule;
  const bytes = Buffer.from(rule, encoding);
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
};

const parseAll = (files: readonly LoadedFile[]): Parsed => {
  const signatures = new Map<string, Signature>();
  const faults: RuleFault[] = [];
  const indented: RuleLine[] = [];
  const rest = files.map(file => {
    const refused: RuleText[] = [];
    const onIndented = (line: number): void => {
      if (indented.length < RULE_FAULTS_MAX) indented.push({file: file.source, line});
    };
    for (const found of splitRules(file.text, onIndented)) {
      const {line} = found;
      const rule = inUtf8(found.text, file.encoding);
      const reason = rule === undefined ? NOT_UTF8 : forbiddenIn(rule);
      if (reason !== undefined) {
        refused.push(found);
        if (faults.length < RULE_FAULTS_MAX) faults.push({file: file.source, line, rule: rule ?? found.text, reason});
      }
      const signature = toSignature(rule ?? found.text);
      if (signature !== undefined) signatures.set(signature.id, signature);
    }
    return {...file, text: withoutRules(file.text, refused)};
  });
  return {signatures, faults, rest, indented};
};

const versionOf = (files: readonly LoadedFile[], suricata: SuricataBinary, config: string): string => {
  const hash = createHash('sha256').update(`${suricata.version}\0${config}\0`);
  for (const {text, encoding} of files) hash.update(text, encoding).update('\0');
  return hash.digest('hex').slice(0, 16);
};

const configInput = (
  files: readonly RuleSetFile[],
  options: ConfigOptions,
  patternMatcher: PatternMatcher,
): ConfigInput => ({
  ruleFiles: files.map(file => file.name),
  patternMatcher,
  homeNet: options.homeNet,
  decodeVxlan: options.decodeVxlan,
});

/** suricata.yaml for the processes of this rule set. */
export const configOf = (set: RuleSet, options: ConfigOptions): string =>
  renderConfig(configInput(set.files, options, set.patternMatcher));

const isVerified = async (folder: string): Promise<boolean> =>
  await readFile(join(folder, VERIFIED_FILE)).then(
    () => true,
    () => false,
  );

const writeFiles = async (folder: string, files: readonly LoadedFile[]): Promise<void> => {
  await rm(folder, {recursive: true, force: true});
  await mkdir(folder, {recursive: true, mode: 0o700});
  for (const {name, text, encoding} of files) {
    await writeFile(join(folder, name), text, encoding);
    await chmod(join(folder, name), 0o444);
  }
};

/** Runs `suricata -T` in a folder of its own, which its user owns; the rule set itself stays ours. */
const verifyIn = async (
  folder: string,
  files: readonly RuleSetFile[],
  options: CompileOptions,
): Promise<RuleFault[]> => {
  const place = join(folder, 'verify');
  const names = files.map(file => file.name);
  await mkdir(place, {mode: 0o700});
  await linkFiles(folder, names, place);
  if (options.runAs !== undefined) await chown(place, options.runAs.uid, options.runAs.gid);
  try {
    // The quick matcher: whether a rule is right does not depend on it.
    const config = renderConfig(configInput(files, options, 'ac-ks'));
    const fileOf = (path: string): string => files.find(file => file.name === basename(path))?.source ?? path;
    return await verifyRules(place, config, {...options, fileOf});
  } finally {
    await rm(place, {recursive: true, force: true});
  }
};

/**
 * What Suricata refuses of files that hold a refused rule anyway. Empty also where it comes to no verdict: enough is known.
 * `scratch`: a folder for this alone, which is gone afterwards.
 */
const alsoRefused = async (
  scratch: string,
  rest: readonly LoadedFile[],
  options: CompileOptions,
): Promise<RuleFault[]> => {
  if (rest.every(({text}) => splitRules(text).length === 0)) return [];
  try {
    await writeFiles(scratch, rest);
    return await verifyIn(scratch, rest, options);
  } catch (error) {
    if (isSensorError(error) && error.code !== 'aborted') return [];
    throw error;
  } finally {
    await rm(scratch, {recursive: true, force: true});
  }
};

/** By file, then by line. */
const inOrder = (faults: readonly RuleFault[], files: readonly LoadedFile[]): RuleFault[] => {
  const at = new Map(files.map(({source}, index) => [source, index]));
  const indexOf = ({file}: RuleFault): number => at.get(file) ?? files.length;
  return faults.toSorted((a, b) => indexOf(a) - indexOf(b) || a.line - b.line).slice(0, RULE_FAULTS_MAX);
};

/** The oldest rule sets go, but for those in `keep`, and what a crash left of refused ones. */
const prune = async (dir: string, keep: readonly string[]): Promise<void> => {
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

const choose = (asked: PatternMatcher | 'auto', rules: number): PatternMatcher => {
  if (asked !== 'auto') return asked;
  return rules > HYPERSCAN_RULES_MAX ? 'ac-ks' : 'hs';
};

const whyNone = (indented: readonly RuleLine[]): string => {
  const [first] = indented;
  if (first === undefined) return '';
  const at = `${first.file}, line ${first.line}`;
  return indented.length === 1
    ? ` (Suricata skips a rule that is indented: ${at}; begin it at the start of its line)`
    : ` (Suricata skips ${counted(indented)} rules that are indented, the first in ${at}; begin each at the start of its line)`;
};

/**
 * Reads and verifies rule files. Throws SensorError `rule-file`, `no-rules`, `rule-error` (all refused rules), `start-failed`, `aborted`.
 * Nothing changes for the sets that are already there. `inForce`: versions that must not be pruned.
 */
export const compileRuleSet = async (
  sources: readonly string[],
  options: CompileOptions,
  inForce: readonly string[] = [],
): Promise<RuleSet> => {
  const files = await readRuleFiles(sources);
  const {signatures, faults, rest, indented} = parseAll(files);
  const patternMatcher = choose(options.patternMatcher, signatures.size);
  const set = {files: files.map(({name, source}) => ({name, source})), signatures, patternMatcher, indented};
  const version = versionOf(files, options.suricata, renderConfig(configInput(files, options, patternMatcher)));
  const folder = join(options.dir, version);
  if (faults.length > 0) {
    // Not `folder`: a set of that version may be there, and in force, from before the rule was forbidden.
    const others = await alsoRefused(folder + SCRATCH_END, rest, options);
    throw ruleError(inOrder([...faults, ...others], files));
  }
  if (await isVerified(folder)) return {...set, version, folder};
  await writeFiles(folder, files);
  const found = await verifyIn(folder, set.files, options);
  if (found.length > 0) {
    await rm(folder, {recursive: true, force: true});
    throw ruleError(found);
  }
  if (signatures.size === 0) {
    await rm(folder, {recursive: true, force: true});
    throw new SensorError(
      'no-rules',
      `No rule in ${sources.join(', ') || 'no file'}: an endpoint without rules would see nothing${whyNone(indented)}`,
    );
  }
  await writeFile(
    join(folder, VERIFIED_FILE),
    JSON.stringify({files: set.files, suricata: options.suricata.version, rules: signatures.size}),
    {mode: 0o600},
  );
  await prune(options.dir, [version, ...inForce]);
  return {...set, version, folder};
};

/** A set that was verified before; undefined when it is gone or damaged. */
export const loadRuleSet = async (version: string, options: CompileOptions): Promise<RuleSet | undefined> => {
  const folder = join(options.dir, version);
  try {
    const {files} = JSON.parse(await readFile(join(folder, VERIFIED_FILE), 'utf8')) as {files: RuleSetFile[]};
    const loaded = await Promise.all(files.map(async file => decoded(file, await readFile(join(folder, file.name)))));
    const {signatures, indented} = parseAll(loaded);
    const patternMatcher = choose(options.patternMatcher, signatures.size);
    return {version, folder, files, signatures, patternMatcher, indented};
  } catch {
    return undefined; // a set that cannot be read is as good as none; the caller says so
  }
};
