// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade serve` that the sensors act on → SensorConfig, with every fault at once. */
import {resolve} from 'node:path';
import type {EndpointVars, RuleBinding, RuleSetSpec, SensorLimits} from '@palisade/sensor';
import {parseHomeNet} from '@palisade/sensor/home-net';
import {parseMirrorFrom} from '@palisade/sensor/mirror-from';
import {variableFaults, wordFaults} from '@palisade/sensor/rule-words';
import {DEFAULT_SET, type FileSettings, NO_FILE_SETTINGS, rulePlanFaults} from './file-settings.ts';
import {namesIn} from './names-in.ts';
import {bytesIn} from './units.ts';

export type SensorConfig = {
  readonly driver: 'auto' | 'afpacket' | 'afpacket-bpf' | 'relay';
  /** Empty: chosen by the driver. */
  readonly captureInterfaces: readonly string[];
  readonly acceptAnyVni: boolean;
  /** Networks; empty: any sender. */
  readonly mirrorFrom: readonly string[];
  /** Absolute paths, or URLs; empty: those of `defaultSet`. */
  readonly rules: readonly string[];
  /** The set `default` of the configuration file; undefined: `rules`, and if there are none the bundled rules. */
  readonly defaultSet: RuleSetSpec | undefined;
  /** Sets in addition to the default, in the order of the configuration file. */
  readonly ruleSets: readonly RuleSetSpec[];
  readonly ruleBindings: readonly RuleBinding[];
  readonly endpointVars: readonly EndpointVars[];
  /** For the sources of the default set, in addition to their own. */
  readonly enableSids: readonly string[];
  readonly disableSids: readonly string[];
  /** Absolute paths, as the next. */
  readonly thresholdFiles: readonly string[];
  readonly suricataIncludes: readonly string[];
  /** One refused rule refuses the rule set. */
  readonly rulesStrict: boolean;
  /** Percent of the rules that must load; undefined: the default. */
  readonly rulesMinLoaded: number | undefined;
  /** Undefined: the default of the sensors. */
  readonly homeNet: readonly string[] | undefined;
  readonly vars: Readonly<Record<string, string>>;
  /** Undefined: the default of the sensors. */
  readonly user: string | undefined;
  /** Bytes; undefined: no limit. */
  readonly memoryMax: number | undefined;
  /** Cores; undefined: no limit. */
  readonly cpuMax: number | undefined;
  /** Of `limits` of the configuration file. */
  readonly limits: Partial<SensorLimits>;
};

type Lists =
  | 'capture-interface'
  | 'mirror-from'
  | 'rules'
  | 'enable-sid'
  | 'disable-sid'
  | 'threshold-file'
  | 'suricata-include'
  | 'var'
  | 'home-net';
export type SensorFlags = {readonly driver: string} & {readonly [name in Lists]: readonly string[]} & {
  readonly [name in 'rules-min-loaded' | 'sensor-user' | 'sensor-memory-max' | 'sensor-cpu-max']: string | undefined;
} & {readonly [name in 'rules-strict' | 'accept-any-vni']: boolean};

const PERCENT = /^\d{1,3}(\.\d+)?$/;

/** When refused rules refuse the whole set. */
const rulePolicyOf = (rulesStrict: boolean, text: string | undefined) => {
  const rulesMinLoaded = text === undefined ? undefined : Number(text);
  const faults: string[] = [];
  if (text !== undefined && !(PERCENT.test(text) && Number(text) <= 100))
    faults.push(`--rules-min-loaded ${text}: must be a percentage from 0 to 100, such as 90`);
  if (rulesStrict && text !== undefined) faults.push('--rules-strict and --rules-min-loaded cannot be used together');
  return {policy: {rulesStrict, rulesMinLoaded}, faults};
};

/** A Suricata with few rules and no traffic has about that. */
const MEMORY_MAX_LEAST = 64 * 2 ** 20;

const limitsOf = (o: SensorFlags) => {
  const faults: string[] = [];
  const memory = o['sensor-memory-max'];
  const memoryMax = memory === undefined ? undefined : bytesIn(memory);
  if (memory !== undefined && !memoryMax) faults.push(`--sensor-memory-max ${memory}: must be a size such as 2GiB`);
  else if (memoryMax !== undefined && memoryMax < MEMORY_MAX_LEAST)
    faults.push(`--sensor-memory-max ${memory}: must be 64MiB or more, or Suricata cannot start`);
  const cpu = o['sensor-cpu-max'];
  const cpuMax = cpu === undefined ? undefined : Number(cpu);
  if (cpuMax !== undefined && !(cpuMax > 0 && Number.isFinite(cpuMax)))
    faults.push(`--sensor-cpu-max ${cpu}: must be a number of cores such as 1.5`);
  return {limits: {memoryMax, cpuMax}, faults};
};

/** The sets of the configuration file, with what the flags say beside them. */
const rulePlanOf = (rules: readonly string[], file: FileSettings, locations: readonly string[]) => {
  const sets = file.ruleSets.map(
    ({name, sources, thresholdFiles}): RuleSetSpec => ({name, sources, thresholds: thresholdFiles}),
  );
  const defaultSet = sets.find(({name}) => name === DEFAULT_SET);
  const faults = rulePlanFaults(file, locations);
  if (defaultSet !== undefined && rules.length > 0)
    faults.push(`--rules: the set ${DEFAULT_SET} of ruleSets has sources, too: give one of them`);
  const ruleSets = sets.filter(set => set !== defaultSet);
  const {ruleBindings, endpoints: endpointVars} = file;
  return {plan: {defaultSet, ruleSets, ruleBindings, endpointVars}, faults};
};

const sensorLimitsOf = ({limits}: FileSettings): Partial<SensorLimits> => ({
  ...(limits.packetQueue === undefined ? {} : {queueBytesMax: limits.packetQueue}),
  ...(limits.lossPercent === undefined ? {} : {lossRatioMax: limits.lossPercent / 100}),
  ...(limits.diskFloor === undefined ? {} : {diskFloorBytes: limits.diskFloor}),
});

const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s;

const varsOf = (words: readonly string[]) => {
  const vars: Record<string, string> = {};
  const faults: string[] = [];
  for (const word of words) {
    const [, name = '', value = ''] = VARIABLE.exec(word) ?? [];
    if (name === '') faults.push(`--var ${word}: must be NAME=VALUE, such as DNS_SERVERS=10.0.0.53`);
    else if (Object.hasOwn(vars, name)) faults.push(`--var ${name} is given twice: give it once`);
    else vars[name] = value;
  }
  return {vars, faults: [...faults, ...variableFaults(vars).map(fault => `--var ${fault}`)]};
};

const URL_START = /^https?:\/\//i;
const OTHER_SCHEME = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i;
const schemeFaults = (at: string): string[] =>
  OTHER_SCHEME.test(at) ? [`--rules ${at}: only http and https are fetched: give such a URL, or a path`] : [];

/** `faults`: one line each. */
export const sensorConfigOf = (
  o: SensorFlags,
  cwd: string,
  file: FileSettings = NO_FILE_SETTINGS,
  locations: readonly string[] = [],
): {readonly sensors: SensorConfig; readonly faults: readonly string[]} => {
  const {policy, faults: policyFaults} = rulePolicyOf(o['rules-strict'], o['rules-min-loaded']);
  const homeNet = o['home-net'].length === 0 ? undefined : parseHomeNet(namesIn(o['home-net']));
  const mirrorFrom = o['mirror-from'].length === 0 ? undefined : parseMirrorFrom(namesIn(o['mirror-from']));
  const {limits, faults: limitFaults} = limitsOf(o);
  const {vars, faults: varFaults} = varsOf(o.var);
  const {plan, faults: planFaults} = rulePlanOf(o.rules, file, locations);
  const files = (paths: readonly string[]): string[] => paths.map(path => resolve(cwd, path));
  const places = (words: readonly string[]): string[] => words.map(at => (URL_START.test(at) ? at : resolve(cwd, at)));
  return {
    faults: [
      ...policyFaults,
      ...(homeNet?.faults ?? []).map(fault => `--home-net ${fault}`),
      ...(mirrorFrom?.faults ?? []).map(fault => `--mirror-from ${fault}`),
      ...limitFaults,
      ...varFaults,
      ...o.rules.flatMap(schemeFaults),
      ...wordFaults(o['disable-sid']).map(fault => `--disable-sid ${fault}`),
      ...wordFaults(o['enable-sid']).map(fault => `--enable-sid ${fault}`),
      ...planFaults,
    ],
    sensors: {
      driver: o.driver as SensorConfig['driver'],
      captureInterfaces: namesIn(o['capture-interface']),
      acceptAnyVni: o['accept-any-vni'],
      mirrorFrom: mirrorFrom?.words ?? [],
      rules: places(o.rules),
      ...plan,
      enableSids: o['enable-sid'],
      disableSids: o['disable-sid'],
      thresholdFiles: files(o['threshold-file']),
      suricataIncludes: files(o['suricata-include']),
      ...policy,
      homeNet: homeNet?.words,
      vars,
      user: o['sensor-user'],
      ...limits,
      limits: sensorLimitsOf(file),
    },
  };
};
