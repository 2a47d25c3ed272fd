// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade rules …`. */
import type {OptionTable} from '../command-line/options.ts';
import {idsConnectionOptions} from '../connection/connection.ts';
import {sensorOptions} from '../serve/sensor-options.ts';

const ofProject = {
  project: {type: 'string', value: 'NAME', doc: 'ask in this project (default: all projects)'},
} as const satisfies OptionTable;

export const listFlags = {
  set: {type: 'string', value: 'NAME', completes: 'ruleSet', doc: 'list the rules of this set (default: all sets)'},
  sets: {type: 'boolean', doc: 'list the rule sets instead of their rules'},
  failed: {type: 'boolean', doc: 'list refused and skipped rules only, with their reason'},
  filter: {type: 'string', value: 'F', doc: 'list rules that match an AIP-160 filter on the fields of --json'},
  search: {type: 'string', value: 'TEXT', doc: 'list rules with this text in message, ID, reference, CVE or rule'},
  ...ofProject,
  ...idsConnectionOptions,
} as const satisfies OptionTable;

export const updateFlags = {
  set: {type: 'string', value: 'NAME', completes: 'ruleSet', doc: 'update this set only (default: all sets)'},
  ...idsConnectionOptions,
} as const satisfies OptionTable;

export const switchFlags = {
  set: {type: 'string', value: 'NAME', completes: 'ruleSet', doc: 'change the rules of this set (default: default)'},
  ...idsConnectionOptions,
} as const satisfies OptionTable;

export const explainFlags = {
  set: {type: 'string', value: 'NAME', completes: 'ruleSet', doc: 'explain the rule of this set (default: all sets)'},
  ...ofProject,
  ...idsConnectionOptions,
} as const satisfies OptionTable;

/** What decides whether rules are taken, as of serve. */
const asServe = {
  'enable-sid': sensorOptions['enable-sid'],
  'disable-sid': sensorOptions['disable-sid'],
  'threshold-file': sensorOptions['threshold-file'],
  var: sensorOptions.var,
  'suricata-include': sensorOptions['suricata-include'],
  'home-net': sensorOptions['home-net'],
} as const satisfies OptionTable;

export const checkFlags = {
  ...asServe,
  'rules-min-loaded': sensorOptions['rules-min-loaded'],
  'rules-strict': sensorOptions['rules-strict'],
  json: {type: 'boolean', doc: 'print JSON, one object'},
} as const satisfies OptionTable;

export const testFlags = {
  pcap: {type: 'string', value: 'FILE', completes: 'file', doc: 'inspect this capture, pcap or pcapng; required'},
  rules: {...sensorOptions.rules, doc: 'take the rule from these files instead of the server'},
  set: {type: 'string', value: 'NAME', completes: 'ruleSet', doc: 'take the rule from this set of the server'},
  var: sensorOptions.var,
  'suricata-include': sensorOptions['suricata-include'],
  'home-net': sensorOptions['home-net'],
  ...ofProject,
  ...idsConnectionOptions,
} as const satisfies OptionTable;
