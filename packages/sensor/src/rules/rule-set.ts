// SPDX-License-Identifier: Apache-2.0
/**
 * A rule set: the rules of all endpoints of a host, verified by `suricata -T` once per version and kept as files.
 *
 * version = hash(rules with their lines + Suricata version + rendered configuration). On disk: `rulesets/<version>/` with the rules that are
 * in force, one a line (`00-name.rules`, … for each file of the user), and `verified.json`, written last: a folder without it is not
 * trusted and made again.
 */
import {createHash} from 'node:crypto';
import {chmod, chown, mkdir, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {RULES_LISTED_MAX, type SensorLimits, VERIFY_RUNS_MAX} from '../limits.ts';
import type {Clock, Timers} from '../ports.ts';
import type {RuleReport} from '../rule-report.ts';
import {SensorError} from '../sensor-error.ts';
import type {SuricataBinary} from '../suricata/binary.ts';
import {type ConfigInput, type PatternMatcher, renderConfig} from '../suricata/config.ts';
import type {Launcher} from '../suricata/launch.ts';
import type {RunAs} from '../suricata/process.ts';
import type {NotTaken} from '../suricata/rules-log.ts';
import {verifyRules} from '../suricata/verify.ts';
import {type Signature, splitRules, toSignature} from './parse-rule.ts';
import {type LeftOutInWords, leftOutOf, nameOfRule} from './refused-rules.ts';
import {type GivenRule, givenRules, type RuleLine, readRuleFiles} from './rule-files.ts';
import {type LeftOut, listOf} from './rule-list.ts';
import {judge, type RulePolicy} from './rule-policy.ts';
import type {RuleSetSpec} from './sources.ts';

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
  /** Of the rules in force, by threat id. */
  readonly signatures: ReadonlyMap<string, Signature>;
  readonly patternMatcher: PatternMatcher;
  /** Lines with rules that Suricata skips since they are indented, at most `RULES_LISTED_MAX`. */
  readonly indented: readonly RuleLine[];
  readonly report: RuleReport;
  readonly leftOut: LeftOutInWords;
};

export type CompileOptions = {
  /** Folder of all rule sets. */
  readonly dir: string;
  /** Folder of what was fetched from URLs; made if absent. */
  readonly cacheDir: string;
  readonly clock: Clock;
  readonly suricata: SuricataBinary;
  readonly runAs: RunAs | undefined;
  /** How Suricata is run to verify; default: as `runAs`. */
  readonly launcher?: Launcher | undefined;
  readonly homeNet: string;
  /** Variables that rules use, by name; they replace ours of that name. */
  readonly vars: Readonly<Record<string, string>>;
  /** Absolute paths of files with parts of suricata.yaml that we do not own. */
  readonly includes: readonly string[];
  readonly decodeVxlan: boolean;
  /** `auto`: by the number of rules. */
  readonly patternMatcher: PatternMatcher | 'auto';
  readonly policy: RulePolicy;
  readonly timers: Timers;
  readonly limits: SensorLimits;
  /** Ends a verification under way. */
  readonly signal: AbortSignal;
};

type ConfigOptions = Pick<CompileOptions, 'homeNet' | 'decodeVxlan'>;

const VERIFIED_FILE = 'verified.json';
/** Rule sets that stay on disk: the one in force and the ones before it. */
const KEPT_MAX = 3;
/** Ends the name of a folder that is there only while its rules are verified. */
const SCRATCH_END = '.verify';
/** Above this the compile time of Hyperscan (1.4 ms a rule) costs more at each start than its speed gives back. */
const HYPERSCAN_RULES_MAX = 12_000;

/** Characters of a rule file's own name in the rule set; a file system takes 255 bytes, with what is put around it. */
const NAME_KEPT_MAX = 100;
const safeName = (index: number, source: string): string =>
  `${String(index).padStart(2, '0')}-${basename(source)
    .slice(-NAME_KEPT_MAX)
    .replace(/[^A-Za-z0-9._-]/g, '_')}`;

/** Of all that decides what is in force, and where each rule is. */
const versionOf = (rules: readonly GivenRule[], suricata: SuricataBinary, config: string): string => {
  const hash = createHash('sha256').update(`${suricata.version}\0${config}\0`);
  for (const {file, line, text, fault} of rules) hash.update(JSON.stringify([file, line, text, fault]));
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

/** The content of `verified.json`. */
type Verified = {readonly files: readonly RuleSetFile[]; readonly report: RuleReport};

/** Undefined: there is no such set, or it was not finished. */
const readVerified = async (folder: string): Promise<Verified | undefined> => {
  try {
    const {files, report} = JSON.parse(await readFile(join(folder, VERIFIED_FILE), 'utf8')) as Partial<Verified>;
    return files === undefined || report === undefined ? undefined : {files, report};
  } catch {
    return undefined; // it is made again
  }
};

/** The rules in force, one a line, and the mark of a finished set last. */
const writeSet = async (folder: string, verified: Verified, loaded: readonly GivenRule[]): Promise<void> => {
  await rm(folder, {recursive: true, force: true});
  await mkdir(folder, {recursive: true, mode: 0o700});
  for (const [index, {name}] of verified.files.entries()) {
    const lines = loaded.filter(({fileIndex}) => fileIndex === index).map(({text}) => `${text}\n`);
    await writeFile(join(folder, name), lines.join(''));
    await chmod(join(folder, name), 0o444);
  }
  await writeFile(join(folder, VERIFIED_FILE), JSON.stringify(verified), {mode: 0o600});
};

/** Runs `suricata -T` in a folder of its own, which its user owns and which is gone afterwards. */
const verifyIn = async (
  scratch: string,
  rules: readonly GivenRule[],
  options: CompileOptions,
): Promise<ReadonlyMap<number, NotTaken>> => {
  await rm(scratch, {recursive: true, force: true});
  await mkdir(scratch, {recursive: true, mode: 0o700});
  if (options.runAs !== undefined) await chown(scratch, options.runAs.uid, options.runAs.gid);
  // The quick matcher: whether a rule is right does not depend on it.
  const config = (more: Pick<ConfigInput, 'ruleFiles' | 'rulesLog'>): string =>
    renderConfig({...configInput([], options, 'ac-ks'), ...more});
  const nameOf = (index: number): string => {
    const rule = rules[index];
    return rule === undefined ? '' : nameOfRule(rule);
  };
  const texts = rules.map(({text}) => text);
  try {
    return await verifyRules(scratch, texts, {...options, config, nameOf});
  } finally {
    await rm(scratch, {recursive: true, force: true});
  }
};

const NONE: ReadonlyMap<number, NotTaken> = new Map();

type Outcome = {readonly loaded: readonly GivenRule[]; readonly report: RuleReport};

/**
 * What Suricata takes of the rules. Without those that it refuses the rest is verified once more: what is in force has loaded together.
 * Throws SensorError, as `judge` does.
 */
const verified = async (scratch: string, rules: readonly GivenRule[], options: CompileOptions): Promise<Outcome> => {
  const leftOut: Record<NotTaken['kind'], LeftOut[]> = {refused: [], skipped: []};
  for (const rule of rules) if (rule.fault !== undefined) leftOut.refused.push({rule, reason: rule.fault});
  let loaded = rules.filter(({fault}) => fault === undefined);
  for (let runs = 0; runs < VERIFY_RUNS_MAX; runs++) {
    const before = leftOut.refused.length;
    const notTaken = loaded.length === 0 ? NONE : await verifyIn(scratch, loaded, options);
    for (const [index, rule] of loaded.entries()) {
      const found = notTaken.get(index);
      if (found !== undefined) leftOut[found.kind].push({rule, reason: found.reason});
    }
    loaded = loaded.filter((_, index) => !notTaken.has(index));
    const refused = listOf(leftOut.refused, rules);
    const report = {given: rules.length, loaded: loaded.length, refused, skipped: listOf(leftOut.skipped, rules)};
    judge(report, options.policy);
    if (leftOut.refused.length === before) return {loaded, report};
  }
  throw new SensorError('start-failed', `Suricata refused further rules in each of ${VERIFY_RUNS_MAX} verifications`);
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
    ? ` (Suricata skips an indented rule: ${at}; remove the indentation)`
    : ` (Suricata skips ${indented.length < RULES_LISTED_MAX ? indented.length : `${indented.length} or more`} indented rules, the first in ${at}; remove the indentation)`;
};

const noRules = (sources: readonly string[], indented: readonly RuleLine[]): SensorError =>
  new SensorError(
    'no-rules',
    `No rule in ${sources.join(', ') || 'no file'}: an endpoint without rules would detect nothing${whyNone(indented)}`,
  );

const signaturesOf = (rules: readonly string[]): Map<string, Signature> => {
  const signatures = new Map<string, Signature>();
  for (const rule of rules) {
    const signature = toSignature(rule);
    if (signature !== undefined) signatures.set(signature.id, signature);
  }
  return signatures;
};

/** The texts of the rules in force. */
const readSet = async (folder: string, files: readonly RuleSetFile[]): Promise<string[]> => {
  const texts = await Promise.all(files.map(({name}) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap(text => splitRules(text).map(rule => rule.text));
};

/** A set that was verified before; undefined when it is gone or damaged. Throws SensorError when it must not be in force. */
export const loadRuleSet = async (version: string, options: CompileOptions): Promise<RuleSet | undefined> => {
  const folder = join(options.dir, version);
  const found = await readVerified(folder);
  if (found === undefined) return undefined;
  const {files, report} = found;
  judge(report, options.policy);
  const rules = await readSet(folder, files).catch(() => []);
  if (rules.length !== report.loaded) return undefined;
  const patternMatcher = choose(options.patternMatcher, report.given);
  const signatures = signaturesOf(rules);
  return {version, folder, files, signatures, patternMatcher, indented: [], report, leftOut: leftOutOf(report)};
};

/**
 * Reads and verifies rule files. Throws SensorError `rule-file`, `no-rules`, `rule-error` (with every refused rule), `start-failed`,
 * `start-timeout`, `aborted`. Nothing changes for the sets that are already there. `inForce`: versions that must not be pruned.
 */
export const compileRuleSet = async (
  spec: RuleSetSpec,
  options: CompileOptions,
  inForce: readonly string[] = [],
): Promise<RuleSet> => {
  const sources = spec.sources.map(({at}) => at);
  const {rules, indented} = givenRules(await readRuleFiles(sources));
  if (rules.length === 0) throw noRules(sources, indented);
  const files = sources.map((source, index): RuleSetFile => ({name: safeName(index, source), source}));
  const patternMatcher = choose(options.patternMatcher, rules.length);
  const version = versionOf(rules, options.suricata, renderConfig(configInput(files, options, patternMatcher)));
  const before = await loadRuleSet(version, options);
  if (before !== undefined) return {...before, indented};
  const folder = join(options.dir, version);
  const {loaded, report} = await verified(folder + SCRATCH_END, rules, options);
  await writeSet(folder, {files, report}, loaded);
  await prune(options.dir, [version, ...inForce]);
  const signatures = signaturesOf(loaded.map(({text}) => text));
  return {version, folder, files, signatures, patternMatcher, indented, report, leftOut: leftOutOf(report)};
};
