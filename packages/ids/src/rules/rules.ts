// SPDX-License-Identifier: Apache-2.0
/**
 * Rule sets and their rules. They belong to the server, not to a project: a right to read them in any project shows the rules, and of
 * the endpoints, their variables and bindings those of that project. An update acts on the endpoints of all projects, and needs the right in all of them.
 */
import {
  type LocationName,
  RULE_LIST,
  RULE_SET_LIST,
  type RuleBindingMessage,
  type RuleMessage,
  type RuleSetMessage,
  type RuleSetUpdateMessage,
  WILDCARD,
} from '@palisade/ids-wire';
import type {Caller} from '../auth.ts';
import {cutPage, type ListPage, type ListRequest, parseListRequest} from '../list-page.ts';
import {demandLocation, parentOf} from '../names/names.ts';
import {notFound} from '../rpc-error.ts';
import type {HostRule, HostRuleSet, SensorHost} from '../sensor-host.ts';
import type {Service} from '../state/service.ts';
import {sensorFailure} from '../to-rpc-status.ts';
import {
  formatRuleSetName,
  isInScope,
  noSuchSet,
  RULE_TYPE,
  type RuleSetName,
  ruleNameOf,
  ruleSetNameOf,
} from './rule-names.ts';

export type RuleDeps = {readonly service: Service; readonly host: SensorHost};

/** The place of a source without what may be a secret: user, path and query of a URL. */
const shownSource = (at: string): string => {
  if (!/^https?:\/\//i.test(at) || !URL.canParse(at)) return at;
  const {protocol, host, pathname} = new URL(at);
  const parts = pathname.split('/').filter(part => part !== '');
  return `${protocol}//${host}/${parts.length > 1 ? '…/' : ''}${parts.at(-1) ?? ''}`;
};

const isShown = (at: LocationName, {endpoint}: RuleBindingMessage): boolean => {
  const project = endpoint?.split('/')[1];
  return endpoint === undefined || at.project === WILDCARD || project === at.project || project === WILDCARD;
};

const messageOf = (at: LocationName, set: HostRuleSet): RuleSetMessage => ({
  name: formatRuleSetName(at, set.ruleSetId),
  ...set,
  sources: set.sources.map(shownSource),
  bindings: set.bindings.filter(binding => isShown(at, binding)),
  endpoints: set.endpoints.filter(({endpoint}) => isInScope(at, endpoint)),
});

/** A set with variables of some endpoints shows their networks: it is for those who may see one of them. */
const isSetShown = (at: LocationName, {variables, endpoints}: HostRuleSet): boolean =>
  at.project === WILDCARD ||
  Object.keys(variables).length === 0 ||
  endpoints.some(({endpoint}) => isInScope({...at, location: WILDCARD}, endpoint));

const setsShown = ({host}: RuleDeps, at: LocationName): readonly HostRuleSet[] =>
  host.ruleSets().filter(set => isSetShown(at, set));

const checkLocation = (service: Service, at: LocationName): void => {
  if (at.location !== WILDCARD) demandLocation(service, at);
};

/** Throws INVALID_ARGUMENT, PERMISSION_DENIED, NOT_FOUND for the location. */
export const listRuleSets = async (
  deps: RuleDeps,
  caller: Caller,
  request: ListRequest & {readonly parent: string},
): Promise<ListPage<RuleSetMessage>> => {
  const at = parentOf(request.parent);
  await caller.demand('ids.rules.list', {project: at.project, resource: `${request.parent}/ruleSets`});
  const query = parseListRequest(request, RULE_SET_LIST, ['ruleSets', request.parent]);
  checkLocation(deps.service, at);
  const all = setsShown(deps, at).map(set => messageOf(at, set));
  all.sort((a, b) => (a.name < b.name ? -1 : 1));
  const following = (after: string): readonly RuleSetMessage[] => all.filter(({name}) => name > after);
  return cutPage(query, following, ({name}) => name);
};

/** The sets that a name means. Throws NOT_FOUND. */
const setsOf = (deps: RuleDeps, name: RuleSetName): readonly HostRuleSet[] => {
  const all = setsShown(deps, name);
  const found = name.set === WILDCARD ? all : all.filter(({ruleSetId}) => ruleSetId === name.set);
  if (found.length > 0 || name.set === WILDCARD) return found;
  throw noSuchSet(
    formatRuleSetName(name, name.set),
    all.map(({ruleSetId}) => ruleSetId),
  );
};

/** The set of one name, for a caller with a right in all projects. Throws NOT_FOUND. */
export const anyRuleSet = (deps: RuleDeps, name: RuleSetName): HostRuleSet | undefined => {
  checkLocation(deps.service, name);
  return setsOf(deps, {...name, project: WILDCARD})[0];
};

/** Throws INVALID_ARGUMENT, PERMISSION_DENIED, NOT_FOUND. */
export const getRuleSet = async (deps: RuleDeps, caller: Caller, text: string): Promise<RuleSetMessage> => {
  const name = ruleSetNameOf(text);
  await caller.demand('ids.rules.get', {project: name.project, resource: text, id: name.set});
  checkLocation(deps.service, name);
  const [set] = name.set === WILDCARD ? [] : setsOf(deps, name);
  if (set === undefined)
    throw noSuchSet(
      text,
      setsShown(deps, name).map(({ruleSetId}) => ruleSetId),
    );
  return messageOf(name, set);
};

/** Sorts by set and sid, as the rules of the host are sorted, whatever other rules there are. */
const keyOf = (ruleSet: string, {gid, sid, state, file, line}: Omit<HostRule, 'text'>): string => {
  const figure = (value: number): string => String(value).padStart(10, '0');
  return [ruleSet, figure(gid), figure(sid), state === 'ACTIVE' ? 0 : 1, file, figure(line)].join('\0');
};

const ruleOf = (at: LocationName, ruleSet: string, rule: HostRule): RuleMessage => ({
  name: `${formatRuleSetName(at, ruleSet)}/rules/${rule.ruleId}`,
  ruleSet,
  ...rule,
});

type RulesOfSet = {readonly ruleSet: string; readonly rules: readonly HostRule[]};

/** In the order of their names. */
const readRules = async ({host}: RuleDeps, sets: readonly HostRuleSet[]): Promise<RulesOfSet[]> => {
  const found: RulesOfSet[] = [];
  for (const {ruleSetId: ruleSet} of [...sets].sort((a, b) => (a.ruleSetId < b.ruleSetId ? -1 : 1)))
    found.push({ruleSet, rules: (await host.rulesOfSet(ruleSet)) ?? []});
  return found;
};

/** Index of the first rule whose key is greater. */
const firstAfter = ({ruleSet, rules}: RulesOfSet, key: string): number => {
  let [low, high] = [0, rules.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const rule = rules[middle];
    if (rule === undefined || keyOf(ruleSet, rule) > key) high = middle;
    else low = middle + 1;
  }
  return low;
};

function* rulesAfter(at: LocationName, sets: readonly RulesOfSet[], key: string): Generator<RuleMessage> {
  for (const set of sets)
    for (let index = firstAfter(set, key); index < set.rules.length; index++) {
      const rule = set.rules[index];
      if (rule !== undefined) yield ruleOf(at, set.ruleSet, rule);
    }
}

/** The text is in them. Throws INVALID_ARGUMENT, PERMISSION_DENIED, NOT_FOUND. */
export const listRules = async (
  deps: RuleDeps,
  caller: Caller,
  request: ListRequest & {readonly parent: string},
): Promise<ListPage<RuleMessage>> => {
  const name = ruleSetNameOf(request.parent);
  await caller.demand('ids.rules.list', {project: name.project, resource: `${request.parent}/rules`, id: name.set});
  const query = parseListRequest(request, RULE_LIST, ['rules', request.parent]);
  checkLocation(deps.service, name);
  const sets = await readRules(deps, setsOf(deps, name));
  return cutPage(
    query,
    after => rulesAfter(name, sets, after),
    rule => keyOf(rule.ruleSet, rule),
  );
};

/** The active one of several rules with that id. Throws INVALID_ARGUMENT, PERMISSION_DENIED, NOT_FOUND. */
export const getRule = async (deps: RuleDeps, caller: Caller, text: string): Promise<RuleMessage> => {
  const name = ruleNameOf(text);
  await caller.demand('ids.rules.get', {project: name.project, resource: text, id: name.set});
  checkLocation(deps.service, name);
  const sets = await readRules(deps, setsOf(deps, name));
  const found = sets.flatMap(({ruleSet, rules}) =>
    rules.filter(({ruleId}) => ruleId === name.ruleId).map(rule => ({ruleSet, rule})),
  );
  const best = found.find(({rule}) => rule.state === 'ACTIVE') ?? found[0];
  if (best === undefined) throw notFound(text, RULE_TYPE);
  return ruleOf(name, best.ruleSet, best.rule);
};

/**
 * Reads the sources of a set, or with `-` of all sets, again, and puts what is new in force, live. Throws INVALID_ARGUMENT,
 * PERMISSION_DENIED, NOT_FOUND; FAILED_PRECONDITION for a set that is refused and so keeps its previous version.
 */
export const updateRuleSet = async (
  deps: RuleDeps,
  caller: Caller,
  text: string,
): Promise<{readonly ruleSets: readonly RuleSetUpdateMessage[]}> => {
  const name = ruleSetNameOf(text);
  await caller.demand('ids.rules.update', {project: WILDCARD, resource: text, id: name.set});
  checkLocation(deps.service, name);
  setsOf(deps, {...name, project: WILDCARD}); // the right is one in all projects
  try {
    return {ruleSets: await deps.host.updateRules(name.set === WILDCARD ? undefined : name.set)};
  } catch (error) {
    throw sensorFailure(error);
  }
};
