// SPDX-License-Identifier: Apache-2.0
/**
 * A rule set: the rules of endpoints with all that they need, verified by `suricata -T` once per version and kept as files.
 *
 * version = hash(rules with their lines + the files that they name + Suricata version + rendered configuration + thresholds + classtypes).
 */
import {createHash} from 'node:crypto';
import {join} from 'node:path';
import {writeCatalog} from '../catalog/catalog.ts';
import {disabledInCatalog, givenInCatalog} from '../catalog/of-set.ts';
import {RULES_LISTED_MAX} from '../limits.ts';
import type {RuleReport} from '../rule-report.ts';
import {type IndentedRule, isSensorError, type RuleNotes, SensorError} from '../sensor-error.ts';
import {type Classtype, classtypeNamed, parseClassifications} from '../suricata/classifications.ts';
import {type ConfigInput, type PatternMatcher, renderConfig} from '../suricata/config.ts';
import type {EngineExtras} from '../suricata/engine-files.ts';
import {portGroupsOf} from '../suricata/settings/variable-groups.ts';
import type {CompileOptions} from './compile-options.ts';
import {type Signature, toSignature} from './parse-rule.ts';
import {type LeftOutInWords, leftOutOf} from './refused-rules.ts';
import type {GivenRule} from './rule-files.ts';
import {judge} from './rule-policy.ts';
import {chooseRules} from './selection/choose-rules.ts';
import {idOf} from './selection/commented.ts';
import {unknownClasstypes} from './selection/unknown-classtypes.ts';
import {
  prune,
  type RuleSetFile,
  readSet,
  readVerified,
  SCRATCH_END,
  type SetSettings,
  safeName,
  type Verified,
  verifiedAtMs,
  writeSet,
} from './set-folder.ts';
import {judgeSettings, readSettings, thresholdsOf} from './set-settings.ts';
import {usedVariables} from './settings/rule-header.ts';
import {idleThresholds} from './settings/thresholds.ts';
import {missingVariables} from './settings/variables.ts';
import {readSources} from './source/read-sources.ts';
import {type LoadedFile, shownPlace} from './source/rule-file.ts';
import {agesOf, type SourceAge} from './source/rules-age.ts';
import {type SideFiles, withSideFiles} from './source/side-files.ts';
import type {RuleSetSpec} from './sources.ts';
import {refusalOf, verifiedRules} from './verified-rules.ts';

export type {CompileOptions} from './compile-options.ts';

export type RuleSet = {
  /** 16 hex digits. */
  readonly version: string;
  readonly folder: string;
  readonly files: readonly RuleSetFile[];
  /** Names in the folder of the files that rules or settings name. */
  readonly side: readonly string[];
  readonly settings: SetSettings;
  readonly extras: EngineExtras;
  /** Changes when Suricata has to be restarted for the set: a live reload leaves what it sets. */
  readonly startMark: string;
  /** Of the rules in force, by threat id. */
  readonly signatures: ReadonlyMap<string, Signature>;
  readonly patternMatcher: PatternMatcher;
  /** Lines with rules that Suricata skips since they are indented, at most `RULES_LISTED_MAX`. */
  readonly indented: readonly IndentedRule[];
  /** What is not as the user may think, one line each; empty for a set that was loaded. */
  readonly warnings: readonly string[];
  readonly report: RuleReport;
  readonly leftOut: LeftOutInWords;
  readonly ages: readonly SourceAge[];
  /** When it took the place of other rules; undefined: it is the first that is known here. */
  readonly changedAtMs?: number | undefined;
  /** Rules of the files that a comment or a list turns off; 0 for a set that was loaded. */
  readonly disabled: number;
  /** When it was verified for the first time. */
  readonly verifiedAtMs: number;
};

type ConfigOptions = Pick<CompileOptions, 'homeNet' | 'decodeVxlan' | 'evidence'>;

/** Above this the compile time of Hyperscan (1.4 ms a rule) costs more at each start than its speed gives back. */
const HYPERSCAN_RULES_MAX = 12_000;

const configInput = (
  {files, settings}: Pick<RuleSet, 'files' | 'settings'>,
  {homeNet, decodeVxlan, evidence}: ConfigOptions,
  patternMatcher: PatternMatcher,
): ConfigInput => ({
  ...settings,
  ruleFiles: files.map(file => file.name),
  patternMatcher,
  homeNet,
  decodeVxlan,
  evidence,
});

/** suricata.yaml for the processes of this rule set. */
export const configOf = (set: RuleSet, options: ConfigOptions): string =>
  renderConfig(configInput(set, options, set.patternMatcher));

const hashOf = (...parts: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('hex').slice(0, 16);
};

const DECODER_PORTS = ['VXLAN_PORTS', 'GENEVE_PORTS', 'TEREDO_PORTS'];

/** Suricata reads these once, at its start. */
const startMarkOf = ({sections, variables}: SetSettings): string => {
  const ports = portGroupsOf(variables);
  return hashOf(JSON.stringify([sections, DECODER_PORTS.map(name => ports[name])]));
};

const choose = (asked: PatternMatcher | 'auto', rules: number): PatternMatcher => {
  if (asked !== 'auto') return asked;
  return rules > HYPERSCAN_RULES_MAX ? 'ac-ks' : 'hs';
};

const whyNone = (indented: readonly IndentedRule[], disabled: number): string => {
  const [first] = indented;
  const off = disabled === 0 ? '' : ` (${disabled} ${disabled === 1 ? 'rule is' : 'rules are'} disabled)`;
  if (first === undefined) return off;
  const at = `${first.file}, line ${first.line}`;
  return indented.length === 1
    ? `${off} (Suricata skips an indented rule: ${at}; remove the indentation)`
    : `${off} (Suricata skips ${indented.length < RULES_LISTED_MAX ? indented.length : `${indented.length} or more`} indented rules, the first in ${at}; remove the indentation)`;
};

const noRules = (spec: RuleSetSpec, indented: readonly IndentedRule[], disabled: number): SensorError => {
  const sources = spec.sources.map(({at}) => shownPlace(at)).join(', ') || 'no file';
  const why = whyNone(indented, disabled);
  const ways = disabled > 0 ? 'disable fewer rules' : 'add a rule, or leave out --rules to use the bundled ones';
  const wayOut = indented.length > 0 ? '' : `; ${ways}`;
  return new SensorError(
    'no-rules',
    `No rule in ${sources}: an endpoint without rules would detect nothing${why}${wayOut}`,
    {notes: {indented, warnings: []}},
  );
};

const signaturesOf = (rules: readonly string[], classtypes: readonly Classtype[]): Map<string, Signature> => {
  const more = new Map(classtypes.map(classtype => [classtype.name, classtype]));
  const signatures = new Map<string, Signature>();
  for (const rule of rules) {
    const signature = toSignature(rule, name => classtypeNamed(name) ?? more.get(name));
    if (signature !== undefined) signatures.set(signature.id, signature);
  }
  return signatures;
};

const agesOfSpec = ({sources}: RuleSetSpec, {cacheDir}: CompileOptions): Promise<readonly SourceAge[]> =>
  agesOf(
    sources.map(({at}) => at),
    cacheDir,
  );

const setOf = async (
  version: string,
  verified: Verified,
  rules: readonly string[],
  options: CompileOptions,
): Promise<RuleSet> => {
  const {files, report, settings, extras, side} = verified;
  const folder = join(options.dir, version);
  return {
    ...{version, folder, files, side, settings, extras, report, disabled: report.disabled},
    verifiedAtMs: await verifiedAtMs(folder),
    startMark: startMarkOf(settings),
    signatures: signaturesOf(rules, extras.classtypes),
    patternMatcher: choose(options.patternMatcher, report.given),
    ...{indented: [], warnings: [], ages: [], leftOut: leftOutOf(report)},
  };
};

/**
 * A set that was verified before; undefined when it is gone or damaged. `spec`: what it was made of. Throws SensorError when it must not be
 * in force.
 */
export const loadRuleSet = async (
  version: string,
  spec: RuleSetSpec,
  options: CompileOptions,
): Promise<RuleSet | undefined> => {
  const folder = join(options.dir, version);
  const found = await readVerified(folder);
  if (found === undefined) return undefined;
  judge(found.report, options.policy);
  const rules = await readSet(folder, found.files).catch(() => []);
  if (rules.length !== found.report.loaded) return undefined;
  return {...(await setOf(version, found, rules, options)), ages: await agesOfSpec(spec, options)};
};

/** A set before Suricata has judged it. */
const prepared = async (spec: RuleSetSpec, options: CompileOptions) => {
  const {limits, vars, includes} = options;
  const read = await readSources(spec.sources, {...options, timeoutMs: limits.downloadTimeoutMs});
  const chosen = chooseRules(read.files, spec);
  if (chosen.rules.length === 0) throw noRules(spec, chosen.indented, chosen.disabled);
  const used = chosen.rules.map(({text}) => usedVariables(text));
  const settings = await readSettings(vars, includes, spec.thresholds, used.flat());
  const withVariables = chosen.rules.map((rule, index) => {
    const fault = rule.fault ?? missingVariables(used[index] ?? [], settings.variables);
    return fault === rule.fault ? rule : {...rule, fault};
  });
  const {rules, side} = await withSideFiles(withVariables, read.files);
  const extras: EngineExtras = {
    thresholds: thresholdsOf(settings),
    classtypes: parseClassifications(read.classifications),
  };
  return {chosen, settings, rules, extras, files: read.files, side: new Map([...side, ...settings.side]), read};
};

/** Files that give rules, and where each file among those read is among them. */
const filesWithRules = (files: readonly LoadedFile[], rules: readonly GivenRule[]) => {
  const indexes = [...new Set(rules.map(({fileIndex}) => fileIndex))].sort((a, b) => a - b);
  const kept = indexes.map((from, index): RuleSetFile => {
    const {path = '', source = ''} = files[from] ?? {};
    return {name: safeName(index, path), source};
  });
  return {kept, placeOf: new Map(indexes.map((from, index) => [from, index]))};
};

/** What a refused set would have warned of is part of its error. */
const withNotes = async <T>(work: () => Promise<T>, notes: () => RuleNotes): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!isSensorError(error) || error.refusal === undefined) throw error;
    const {code, message, refusal, cause} = error;
    throw new SensorError(code, message, {refusal, notes: notes(), cause});
  }
};

const versionOf = (
  rules: readonly GivenRule[],
  config: string,
  extras: EngineExtras,
  side: SideFiles,
  {suricata}: CompileOptions,
): string => {
  const lines = rules.map(({file, line, engineText, fault}) => JSON.stringify([file, line, engineText, fault]));
  return hashOf(suricata.version, config, lines.join('\n'), JSON.stringify(extras), ...[...side].flat());
};

/**
 * Reads and verifies rules. Throws SensorError `rule-file`, `rule-settings`, `no-rules`, `rule-error` (with every refused rule),
 * `start-failed`, `start-timeout`, `aborted`. Nothing changes for the sets that are already there. `inForce`: versions that must not be
 * pruned.
 */
export const compileRuleSet = async (
  spec: RuleSetSpec,
  options: CompileOptions,
  inForce: readonly string[] = [],
): Promise<RuleSet> => {
  const {
    chosen,
    settings: given,
    rules,
    extras,
    files: read,
    side,
    read: {warnings},
  } = await prepared(spec, options);
  const {kept: files, placeOf} = filesWithRules(read, rules);
  const settings: SetSettings = {variables: given.variables, sections: given.sections};
  const patternMatcher = choose(options.patternMatcher, rules.length);
  const config = renderConfig(configInput({files, settings}, options, patternMatcher));
  const version = versionOf(rules, config, extras, side, options);
  const ages = await agesOfSpec(spec, options);
  const unknown = unknownClasstypes(rules, extras.classtypes);
  const finished = async (set: RuleSet): Promise<RuleSet> => {
    const idle = idleThresholds(given.thresholds, id => set.signatures.has(id));
    const disabled = disabledInCatalog(read, rules);
    await writeCatalog(set.folder, [...givenInCatalog(rules, set.report, set.signatures), ...disabled]);
    return {
      ...set,
      ages,
      disabled: disabled.length,
      indented: chosen.indented,
      warnings: [...warnings, ...chosen.warnings, ...unknown, ...idle],
    };
  };
  const notes = (): RuleNotes => {
    const ids = new Set(rules.map(({text}) => idOf(text)));
    const idle = idleThresholds(given.thresholds, id => ids.has(id));
    return {indented: chosen.indented, warnings: [...warnings, ...chosen.warnings, ...unknown, ...idle]};
  };
  const before = await withNotes(() => loadRuleSet(version, spec, options), notes);
  if (before !== undefined) return finished(before);
  const folder = join(options.dir, version);
  const scratch = folder + SCRATCH_END;
  await judgeSettings(given, (one, thresholds) => refusalOf(scratch, one, thresholds, side, options));
  const shown = {rules, settings, extras, side, disabled: chosen.disabled};
  const {loaded, report} = await withNotes(() => verifiedRules(scratch, shown, options), notes);
  const verified: Verified = {files, report, settings, extras, side: [...side.keys()]};
  await writeSet(
    folder,
    verified,
    loaded.map(rule => [placeOf.get(rule.fileIndex) ?? -1, rule]),
    side,
  );
  await prune(options.dir, [version, ...inForce]);
  const texts = loaded.map(({engineText}) => engineText);
  return finished(await setOf(version, verified, texts, options));
};
