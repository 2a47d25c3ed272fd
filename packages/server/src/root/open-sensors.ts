// SPDX-License-Identifier: Apache-2.0
/** The sensors of this server. Loads the data plane: only for servers that serve the IDS side. */

import type {KeptSwitches} from '@palisade/ids';
import {
  BUNDLED_RULES,
  checkRuleFiles,
  createSensorHost,
  DEFAULT_RULE_POLICY,
  findSensorUser,
  isSensorError,
  plainSource,
  type RecordSink,
  type RulePlan,
  type RulePolicy,
  type RuleReport,
  type RuleSetSpec,
  type RunAs,
  ruleFaultLines,
  type SensorError,
  type SuricataSensorHost,
  settingFaults,
  skippedRuleLines,
  skippedRulesCounted,
  thresholdFaults,
} from '@palisade/sensor';
import {CommandError} from '../errors.ts';
import type {RecordConfig} from '../parts/record-config.ts';
import type {SensorConfig} from '../parts/sensor-config.ts';
import type {DataFolder} from '../process/data-folder.ts';
import type {Logger} from '../process/logger.ts';
import {systemClock, systemRandom, systemTimers} from '../process/system.ts';
import type {Closers} from './closers.ts';

type RuleOptions = Pick<SensorConfig, 'rulesStrict' | 'rulesMinLoaded' | 'defaultSet'>;

/** Whether anything about rules is the user's: what cannot be used of it then ends the start, and SIGHUP reads it again. */
export const isOfUser = ({
  rules,
  enableSids,
  disableSids,
  thresholdFiles,
  suricataIncludes,
  vars,
  defaultSet,
  ruleSets,
  endpointVars,
}: SensorConfig): boolean =>
  defaultSet !== undefined ||
  [...rules, ...enableSids, ...disableSids, ...thresholdFiles, ...suricataIncludes, ...Object.keys(vars)].length > 0 ||
  ruleSets.length + endpointVars.length > 0;

export const policyOf = ({rulesStrict: strict, rulesMinLoaded}: RuleOptions): RulePolicy => ({
  ...DEFAULT_RULE_POLICY,
  strict,
  ...(rulesMinLoaded === undefined ? {} : {minLoadedPercent: rulesMinLoaded}),
});

/** The rules of --rules, of the set `default` of the configuration file, or the bundled ones. */
export const ruleSetOf = ({rules, defaultSet, enableSids, disableSids, thresholdFiles}: RuleNames): RuleSetSpec => ({
  name: 'default',
  sources: (defaultSet?.sources ?? (rules.length > 0 ? rules : BUNDLED_RULES).map(plainSource)).map(source => ({
    ...source,
    ...(enableSids.length + disableSids.length === 0 ? {} : {flags: {enable: enableSids, disable: disableSids}}),
  })),
  thresholds: [...(defaultSet?.thresholds ?? []), ...thresholdFiles],
});
type RuleNames = Pick<SensorConfig, 'rules' | 'defaultSet' | 'enableSids' | 'disableSids' | 'thresholdFiles'>;

/** Which rules each endpoint inspects with; the first set is the default. */
export const rulePlanOf = (config: RuleNames & Pick<SensorConfig, PlanFields>): RulePlan => ({
  ruleSets: [ruleSetOf(config), ...config.ruleSets],
  bindings: config.ruleBindings,
  endpointVars: config.endpointVars,
});
type PlanFields = 'ruleSets' | 'ruleBindings' | 'endpointVars';

const fileFaults = async (named: string, places: readonly string[]): Promise<string[]> => {
  try {
    await checkRuleFiles(places);
    return [];
  } catch (error) {
    if (isSensorError(error)) return [`${named}: ${error.message}`];
    throw error;
  }
};

/** Of a set of the configuration file, whose words were checked with it. */
const filesOfSet = async ({name, sources, thresholds}: RuleSetSpec, {vars}: SensorConfig): Promise<string[]> => {
  const named = name === 'default' ? 'ruleSets' : `ruleSets: rule set "${name}"`;
  const places = sources.map(({at}) => at);
  const faults = await thresholdFaults(thresholds, vars);
  return [...(await fileFaults(named, places)), ...faults.map(fault => `${named}: ${fault}`)];
};

/** Throws CommandError for files of rules that cannot be read, and for all that is wrong with the settings around them. */
export const checkRules = async (config: SensorConfig): Promise<void> => {
  const {vars, suricataIncludes: includes, thresholdFiles: thresholds} = config;
  const sets = [...(config.defaultSet === undefined ? [] : [config.defaultSet]), ...config.ruleSets];
  const faults = [
    ...(await fileFaults('--rules', config.rules)),
    ...(await settingFaults({vars, includes, thresholds})),
  ];
  for (const set of sets) faults.push(...(await filesOfSet(set, config)));
  if (faults.length > 0) throw new CommandError(faults.join('\n'));
};

/** Throws CommandError for a user that Suricata cannot run as. */
const sensorUserOf = async (user: string | undefined): Promise<RunAs | undefined> => {
  const found = user === undefined ? undefined : await findSensorUser(user, process.getuid?.());
  if (typeof found === 'string') throw new CommandError(`--sensor-user ${user}: ${found}`);
  return found;
};

/** Throws CommandError for a driver that is not there, and for rules of --rules that cannot be used. */
export async function openSensors(
  config: SensorConfig,
  parts: {
    folder: DataFolder;
    records: RecordSink;
    keep: RecordConfig;
    trafficSample: () => number;
    switches: KeptSwitches;
    signal: AbortSignal;
  },
  log: Logger,
  closers: Closers,
): Promise<SuricataSensorHost> {
  const host = await createSensorHost({
    dir: parts.folder.sensorDir,
    driver: config.driver,
    rules: ruleSetOf(config),
    ruleSets: config.ruleSets,
    bindings: config.ruleBindings,
    endpointVars: config.endpointVars,
    vars: config.vars,
    includes: config.suricataIncludes,
    rulePolicy: policyOf(config),
    homeNet: config.homeNet,
    acceptAnyVni: config.acceptAnyVni,
    mirrorFrom: config.mirrorFrom,
    captureInterfaces: config.captureInterfaces,
    runAs: await sensorUserOf(config.user),
    resourceLimits: {memoryMax: config.memoryMax, cpuMax: config.cpuMax},
    limits: config.limits,
    evidence: parts.keep.evidence,
    flowBudget: parts.keep.budgets.evidence,
    reportsRefusal: isOfUser(config),
    switches: parts.switches,
    sink: parts.records,
    trafficSample: parts.trafficSample,
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    log: log.child({part: 'sensor'}),
  }).catch((error: unknown) => {
    if (isSensorError(error) && error.code === 'driver-unavailable')
      throw new CommandError(`--driver: ${error.message}`, {cause: error});
    throw error;
  });
  closers.add('sensors', () => host.close());
  if (isOfUser(config)) await refuseBadRules(host, config, parts.signal);
  return host;
}

/** Throws the reason of `signal` as soon as it aborts; the work continues without a listener. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, {once: true});
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });

/** What the rules are not to blame for: the server then starts, and its endpoints say why they have no sensor. */
const NOT_OF_RULES: ReadonlySet<string> = new Set(['engine-missing', 'engine-too-old', 'aborted', 'closed']);

/** What to do about a refused set. */
const wayOut = ({loaded, refused}: RuleReport, {rulesStrict}: RuleOptions): string => {
  if (refused.count === 0) return '';
  const without = rulesStrict ? 'start without --rules-strict' : 'start with a lower --rules-min-loaded';
  return loaded === 0 ? '; fix these rules' : `; fix these rules, or ${without} to skip them`;
};

/** Every refused or skipped rule, in a line of its own. */
export const wordsFor = ({code, message, refusal}: SensorError, config: RuleOptions): string => {
  if (code === 'rule-settings') return message;
  const isOfFile = config.defaultSet !== undefined || message.startsWith('rule set "');
  const named = isOfFile ? 'ruleSets' : '--rules';
  if (refusal === undefined) return `${named}: ${message}`;
  const {words, report} = refusal;
  const {refused, skipped} = report;
  const unnamed = refused.count - refused.listed.length + skipped.count - skipped.listed.length;
  return [
    `${named}: ${words}${wayOut(report, config)}:`,
    ...ruleFaultLines(refused.listed),
    ...(refused.count === 0 || skipped.count === 0 ? [] : [`${skippedRulesCounted(report)}:`]),
    ...skippedRuleLines(skipped.listed),
    ...(unnamed === 0 ? [] : [`and ${unnamed} more`]),
  ].join('\n');
};

/** Throws CommandError with what the user can mend. */
const refuseRules = (error: unknown, config: RuleOptions): void => {
  if (!isSensorError(error)) throw error;
  if (!NOT_OF_RULES.has(error.code)) throw new CommandError(wordsFor(error, config), {cause: error});
};

/**
 * Rules that the user named and that cannot be used, without an older set to use: better no start than no inspection.
 * Files that cannot be read were refused before, older set or not.
 */
const refuseBadRules = (host: SuricataSensorHost, config: RuleOptions, signal: AbortSignal): Promise<unknown> =>
  unlessAborted(host.ready(), signal).catch(error => refuseRules(error, config));
