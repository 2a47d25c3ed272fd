// SPDX-License-Identifier: Apache-2.0
/** `/compute/v1/`: the forwarding rules that `endpointForwardingRule` names. */
import {getForwardingRule, listForwardingRules} from '../endpoints/forwarding-rules.ts';
import {sendJson} from './answer.ts';
import {int32Of} from './query.ts';
import {type Call, pathPattern, type Route} from './routes.ts';

const get = async (call: Call): Promise<void> =>
  sendJson(call.response, call.query, await getForwardingRule(call.service, call.caller, call.name));

const list = async (call: Call): Promise<void> => {
  const items = await listForwardingRules(call.service, call.caller, call.name, {
    max: int32Of(call.query.get('maxResults')),
    after: call.query.get('pageToken') ?? '',
  });
  const base = call.service.ruleBase();
  sendJson(call.response, call.query, {
    kind: 'compute#forwardingRuleList',
    id: `${call.name}/forwardingRules`,
    ...items,
    selfLink: `${base}${call.name}/forwardingRules`,
  });
};

export const RULE_ROUTES: readonly Route[] = [
  {method: 'GET', path: pathPattern('projects/*/regions/*/forwardingRules/*', 6), parameters: [], handle: get},
  {
    method: 'GET',
    path: pathPattern('projects/*/regions/*/forwardingRules', 4),
    parameters: ['maxResults', 'pageToken', 'filter', 'orderBy', 'returnPartialSuccess'],
    handle: list,
  },
];
