// SPDX-License-Identifier: Apache-2.0
/** Names of rule sets and rules as requests carry them. */
import {formatLocationName, type LocationName, parseLocationName, WILDCARD} from '@palisade/ids-wire';
import {invalidArgument, notFound, RpcError} from '../rpc-error.ts';

export const RULE_SET_TYPE = 'ids.googleapis.com/RuleSet';
export const RULE_TYPE = 'ids.googleapis.com/Rule';

export type RuleSetName = LocationName & {/** `-`: all of them. */ readonly set: string};
export type RuleName = RuleSetName & {/** `gid:sid`. */ readonly ruleId: string};

const RULE_ID = /^(?:(\d{1,10}):)?(\d{1,10})$/;

const wrongName = (text: string, form: string): RpcError =>
  invalidArgument([{field: 'name', description: `"${text}" is not of the form ${form}`}]);

export const formatRuleSetName = (at: LocationName, set: string): string => `${formatLocationName(at)}/ruleSets/${set}`;

/** `projects/P/locations/L/ruleSets/SET`; `-` stands for any of them. Throws INVALID_ARGUMENT. */
export const ruleSetNameOf = (text: string): RuleSetName => {
  const [, parent = '', set = ''] = /^(.*)\/ruleSets\/([^/]+)$/.exec(text) ?? [];
  const at = parseLocationName(parent);
  if (at === undefined) throw wrongName(text, 'projects/PROJECT/locations/LOCATION/ruleSets/SET');
  return {...at, set};
};

/** `gid:sid` of that, or of a sid alone; undefined for another text. */
export const ruleIdOf = (text: string): string | undefined => {
  const id = RULE_ID.exec(text);
  return id === null ? undefined : `${Number(id[1] ?? 1)}:${Number(id[2])}`;
};

/** A rule by `gid:sid`, or by its sid where the gid is 1. Throws INVALID_ARGUMENT. */
export const ruleNameOf = (text: string): RuleName => {
  const [, parent = '', word = ''] = /^(.*)\/rules\/([^/]+)$/.exec(text) ?? [];
  const ruleId = ruleIdOf(word);
  if (ruleId === undefined) throw wrongName(text, 'projects/PROJECT/locations/LOCATION/ruleSets/SET/rules/GID:SID');
  return {...ruleSetNameOf(parent), ruleId};
};

export const noSuchSet = (name: string, known: readonly string[]): RpcError => {
  const error = notFound(name, RULE_SET_TYPE);
  return new RpcError('NOT_FOUND', `${error.message}; the rule sets are ${known.join(', ')}`, error.details);
};

export const isInScope = (at: LocationName, endpoint: string): boolean => {
  const [, project, , location] = endpoint.split('/');
  const fits = (asked: string, own: string | undefined): boolean => asked === WILDCARD || asked === own;
  return fits(at.project, project) && fits(at.location, location);
};
