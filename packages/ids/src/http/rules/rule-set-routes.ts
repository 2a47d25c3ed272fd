// SPDX-License-Identifier: Apache-2.0
/**
 * `/v1/{location}/ruleSets`: ours; Cloud IDS shows no rules.
 *
 *   GET  ruleSets, ruleSets/SET                  version, counts, sources, endpoints
 *   GET  ruleSets/SET/rules                      filter, orderBy, pageSize, pageToken; view=FULL: with their texts. SET may be `-`
 *   GET  ruleSets/SET/rules/GID:SID              one, with its text
 *   POST ruleSets/SET:update                     reads the sources again; answers when every Suricata has the rules
 *   POST ruleSets/SET/rules:switch               {"enable"?, "disable"?, "reset"?}: lists of GID:SID; answers as an update does
 */
import type {RuleMessage} from '@palisade/ids-wire';
import {invalidArgument} from '../../rpc-error.ts';
import {getRule, getRuleSet, listRuleSets, listRules, type RuleDeps, updateRuleSet} from '../../rules/rules.ts';
import {parseSwitches, switchRules} from '../../rules/switch-rules.ts';
import type {SensorHost} from '../../sensor-host.ts';
import {sendJson} from '../answer.ts';
import {LIST_PARAMETERS, listRequestOf} from '../endpoint-routes.ts';
import {readJson, recordRequest} from '../exchange.ts';
import type {Call, Route} from '../routes.ts';

const VIEWS = ['BASIC', 'FULL'];

/** Whether a list holds the texts. Throws INVALID_ARGUMENT. */
const isFull = ({query}: Call): boolean => {
  const view = query.get('view') ?? 'BASIC';
  if (!VIEWS.includes(view))
    throw invalidArgument([{field: 'view', description: `"${view}" is not one of ${VIEWS.join(', ')}`}]);
  return view === 'FULL';
};

const withoutText = ({text: _, ...rule}: RuleMessage): RuleMessage => rule;

const sendPage = (call: Call, field: string, items: readonly unknown[], nextPageToken: string): void =>
  sendJson(call.response, call.query, {
    ...(items.length > 0 ? {[field]: items} : {}),
    ...(nextPageToken === '' ? {} : {nextPageToken}),
  });

const SET = '(projects/[^/]+/locations/[^/]+/ruleSets/[^/:]+)';
const ROUTES = {
  sets: /^(projects\/[^/]+\/locations\/[^/]+)\/ruleSets$/,
  set: new RegExp(`^${SET}$`),
  update: new RegExp(`^${SET}:update$`),
  rules: new RegExp(`^${SET}/rules$`),
  rule: new RegExp(`^(${SET}/rules/[^/]+)$`),
  switch: new RegExp(`^${SET}/rules:switch$`),
};

export const ruleSetRoutes = (host: SensorHost): readonly Route[] => {
  const depsOf = ({service}: Call): RuleDeps => ({service, host});
  const sets = async (call: Call): Promise<void> => {
    const page = await listRuleSets(depsOf(call), call.caller, {...listRequestOf(call.query), parent: call.name});
    sendPage(call, 'ruleSets', page.items, page.nextPageToken);
  };
  const rules = async (call: Call): Promise<void> => {
    const full = isFull(call);
    const page = await listRules(depsOf(call), call.caller, {...listRequestOf(call.query), parent: call.name});
    sendPage(call, 'rules', full ? page.items : page.items.map(withoutText), page.nextPageToken);
  };
  const update = async (call: Call): Promise<void> => {
    await readJson(call.request);
    const answer = await updateRuleSet(depsOf(call), call.caller, call.name);
    const versions = answer.ruleSets.map(({ruleSetId, version}) => `${ruleSetId} ${version}`);
    call.service.log.info({user: call.caller.actingName, versions}, 'ids: rule sets updated');
    sendJson(call.response, call.query, answer);
  };
  const turn = async (call: Call): Promise<void> => {
    const switches = parseSwitches(await readJson(call.request));
    const {given, violations} = switches;
    if (violations.length === 0) recordRequest(call.request, given); // also of a request that is refused
    const answer = await switchRules(depsOf(call), call.caller, call.name, switches);
    call.service.log.info({user: call.caller.actingName, set: call.name, ...given}, 'ids: rules turned on or off');
    sendJson(call.response, call.query, answer);
  };
  const one =
    (get: (deps: RuleDeps, caller: Call['caller'], name: string) => Promise<unknown>) =>
    async (call: Call): Promise<void> =>
      sendJson(call.response, call.query, await get(depsOf(call), call.caller, call.name));
  return [
    {method: 'GET', path: ROUTES.sets, parameters: LIST_PARAMETERS, handle: sets},
    {method: 'GET', path: ROUTES.set, parameters: [], handle: one(getRuleSet)},
    {method: 'POST', path: ROUTES.update, parameters: [], handle: update},
    {method: 'POST', path: ROUTES.switch, parameters: [], handle: turn},
    {method: 'GET', path: ROUTES.rules, parameters: [...LIST_PARAMETERS, 'view'], handle: rules},
    {method: 'GET', path: ROUTES.rule, parameters: [], handle: one(getRule)},
  ];
};
