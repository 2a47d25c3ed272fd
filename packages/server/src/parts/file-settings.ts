// SPDX-License-Identifier: Apache-2.0
/** What a configuration file holds that has no flag, and what can be wrong with it beyond the types of its values. */
import type {EndpointVars, RuleBinding, RuleSource} from '@palisade/sensor';
import {sourceFaults, variableFaults} from '@palisade/sensor/rule-words';
import type {ExportEntry} from './export-config.ts';

export type FileRuleSet = {
  readonly name: string;
  readonly sources: readonly RuleSource[];
  /** Absolute paths. */
  readonly thresholdFiles: readonly string[];
};

/** Undefined: the default of the part that has the limit. */
export type Limits = {
  /** Bytes of packets that wait for Suricata, per endpoint. */
  readonly packetQueue?: number | undefined;
  /** More lost packets than these in a minute make an endpoint DEGRADED. */
  readonly lossPercent?: number | undefined;
  /** Less free bytes on the disk make an endpoint DEGRADED. */
  readonly diskFloor?: number | undefined;
};

export type FileSettings = {
  readonly ruleSets: readonly FileRuleSet[];
  readonly ruleBindings: readonly RuleBinding[];
  readonly endpoints: readonly EndpointVars[];
  readonly limits: Limits;
  readonly exporters: readonly ExportEntry[];
};

export const NO_FILE_SETTINGS: FileSettings = {
  ruleSets: [],
  ruleBindings: [],
  endpoints: [],
  limits: {},
  exporters: [],
};

/** The rule set of all endpoints that no binding names. */
export const DEFAULT_SET = 'default';
const SET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const ENDPOINT = /^projects\/[^/]+\/locations\/[^/]+\/endpoints\/[^/]+$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

const endpointFault = (field: string, text: string): string[] =>
  ENDPOINT.test(text)
    ? []
    : [`${field} ${text}: must be projects/PROJECT/locations/LOCATION/endpoints/ENDPOINT; "-" and "*" are wildcards`];

const setFaults = (names: readonly string[]): string[] =>
  names.flatMap((name, at) => {
    const field = `ruleSets[${at}].name`;
    return [
      ...(SET_NAME.test(name) ? [] : [`${field} ${name}: must be letters, digits, ".", "_" and "-", at most 63`]),
      ...(names.indexOf(name) < at ? [`${field} ${name}: is used twice; give each set a name of its own`] : []),
    ];
  });

const bindingFaults = (
  {set, location, endpoint}: RuleBinding,
  at: number,
  sets: readonly string[],
  locations: readonly string[],
): string[] => {
  const field = `ruleBindings[${at}]`;
  return [
    ...(sets.includes(set) ? [] : [`${field}.set ${set}: no rule set has this name; use one of ${sets.join(', ')}`]),
    ...((location === undefined) === (endpoint === undefined)
      ? [`${field}: give location or endpoint, and not both`]
      : []),
    ...(location === undefined || locations.includes(location)
      ? []
      : [`${field}.location ${location}: no such location; this server has ${locations.join(', ')}`]),
    ...(endpoint === undefined ? [] : endpointFault(`${field}.endpoint`, endpoint)),
  ];
};

const varFaults = (field: string, vars: EndpointVars['vars']): string[] =>
  Object.entries(vars).flatMap(([name, value]) =>
    VARIABLE.test(name)
      ? variableFaults({[name]: value}).map(fault => `${field}.${fault}`)
      : [`${field}.${name}: must be a name of letters, digits and "_", such as DNS_SERVERS`],
  );

/** One line each: path, value, way out. */
export const rulePlanFaults = (
  {ruleSets, ruleBindings, endpoints}: FileSettings,
  locations: readonly string[],
): string[] => {
  const names = ruleSets.map(({name}) => name);
  const sets = [...new Set([DEFAULT_SET, ...names])];
  return [
    ...setFaults(names),
    ...ruleSets.flatMap(({sources}, set) =>
      sources.flatMap((source, at) => sourceFaults(source).map(fault => `ruleSets[${set}].sources[${at}].${fault}`)),
    ),
    ...ruleBindings.flatMap((binding, at) => bindingFaults(binding, at, sets, locations)),
    ...endpoints.flatMap(({match, vars}, at) => [
      ...endpointFault(`endpoints[${at}].match`, match),
      ...varFaults(`endpoints[${at}].vars`, vars),
    ]),
  ];
};
