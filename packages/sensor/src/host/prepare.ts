// SPDX-License-Identifier: Apache-2.0
/** What a host finds and makes before it can run a sensor: Suricata, its folders, and what all its sensors share. */
import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import type {CaptureFactory} from '../capture/capture.ts';
import {systemCgroups} from '../cgroup/system-cgroups.ts';
import {Gate} from '../gate.ts';
import {SENSOR_LIMITS, type SensorLimits} from '../limits.ts';
import {DEFAULT_RULE_POLICY} from '../rules/rule-policy.ts';
import {type CompileOptions, configOf} from '../rules/rule-set.ts';
import type {SensorContext} from '../sensor/sensor-context.ts';
import {endpointsDir} from '../sensor/sensor-folder.ts';
import {isSensorError, type SensorError} from '../sensor-error.ts';
import {findSuricata, type SuricataBinary} from '../suricata/binary.ts';
import {DEFAULT_HOME_NET} from '../suricata/home-net.ts';
import {watchLandlock} from '../suricata/landlock.ts';
import {type Launcher, whyNoCgroup} from '../suricata/launch.ts';
import type {RunAs} from '../suricata/process.ts';
import {NOBODY, type SensorHostOptions} from './options.ts';
import {readMachine} from './read-machine.ts';

export type Prepared = {readonly context: SensorContext; readonly compile: Omit<CompileOptions, 'signal'>};

/** The user that Suricata runs as; undefined: as the server, which is not root. */
export const userOf = ({runAs = NOBODY}: Pick<SensorHostOptions, 'runAs'>): RunAs | undefined =>
  process.getuid?.() === 0 ? runAs : undefined;

/** A SensorError says why no sensor can run here: Suricata is missing or too old. */
export const prepare = async (
  options: SensorHostOptions,
  capture: CaptureFactory,
  launcher: Launcher,
): Promise<Prepared | SensorError> => {
  const limits: SensorLimits = {...SENSOR_LIMITS, ...options.limits};
  let suricata: SuricataBinary;
  try {
    suricata = await findSuricata(options.suricata);
  } catch (error) {
    if (isSensorError(error)) return error;
    throw error;
  }
  const {dir, sink, clock, timers, random, log} = options;
  const runAs = userOf(options);
  const homeNet = options.homeNet ?? DEFAULT_HOME_NET;
  const compile: Prepared['compile'] = {
    dir: join(dir, 'rulesets'),
    cacheDir: join(dir, 'rule-sources'),
    clock,
    suricata,
    runAs,
    launcher,
    homeNet: homeNet.join(','),
    vars: options.vars ?? {},
    includes: options.includes ?? [],
    decodeVxlan: capture.decodeVxlan,
    evidence: options.evidence ?? 'none',
    patternMatcher: options.patternMatcher ?? 'auto',
    policy: options.rulePolicy ?? DEFAULT_RULE_POLICY,
    timers,
    limits,
  };
  await mkdir(compile.dir, {recursive: true, mode: 0o700});
  await mkdir(endpointsDir(dir), {recursive: true, mode: 0o700});
  const startGate = new Gate(limits.startsAtOnceMax);
  return {
    compile,
    context: {
      dir,
      suricata,
      capture,
      runAs,
      launcher,
      landlock: watchLandlock(suricata.landlock, log),
      cgroups: await systemCgroups(dir, options.resourceLimits ?? {}, whyNoCgroup(launcher), log),
      sink,
      clock,
      timers,
      random,
      log,
      limits,
      startGate,
      trafficSample: options.trafficSample ?? (() => 1),
      homeNet,
      evidence: options.evidence ?? 'none',
      acceptAnyVni: options.acceptAnyVni === true,
      mirrorFrom: options.mirrorFrom ?? [],
      captureInterfaces: options.captureInterfaces ?? [],
      machine: await readMachine(options.driver !== 'auto'),
      configOf: set => configOf(set, compile),
    },
  };
};
