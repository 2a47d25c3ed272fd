// SPDX-License-Identifier: Apache-2.0
/** Forwarding rules, read from the endpoints that they belong to. */
import {parseIdsEndpointName} from '@palisade/ids-wire';
import type {Caller} from '../auth.ts';
import {PAGE_SIZE_MAX} from '../limits.ts';
import type {EndpointRecord} from '../model/endpoint-record.ts';
import {toForwardingRule} from '../pool/forwarding-rule.ts';
import {notFound} from '../rpc-error.ts';
import type {Service} from '../state/service.ts';

const RULE_TYPE = 'compute.googleapis.com/ForwardingRule';
const ruleOf = (service: Service, record: EndpointRecord): object | undefined =>
  record.state === 'CREATING'
    ? undefined
    : toForwardingRule(record, {ruleBase: service.ruleBase(), driver: service.driver()});

/** `path`: `projects/{tenant}/regions/{region}/forwardingRules/{name}`. Throws PERMISSION_DENIED, NOT_FOUND. */
export const getForwardingRule = async (service: Service, caller: Caller, path: string): Promise<object> => {
  const record = service.rules.find(path);
  const project = record === undefined ? '-' : (parseIdsEndpointName(record.name)?.project ?? '-');
  await caller.demand('compute.forwardingRules.get', {project, resource: path});
  const rule = record === undefined ? undefined : ruleOf(service, record);
  if (rule === undefined) throw notFound(path, RULE_TYPE);
  return rule;
};

/** The rules of one tenant's region, by name. `after`: the last name of the page before. */
export const listForwardingRules = async (
  service: Service,
  caller: Caller,
  parent: string,
  page: {readonly max: number; readonly after: string},
): Promise<{readonly items: readonly object[]; readonly nextPageToken?: string}> => {
  const prefix = `${parent}/forwardingRules/`;
  const max = page.max > 0 ? Math.min(page.max, PAGE_SIZE_MAX) : PAGE_SIZE_MAX;
  const records = service.rules.range(prefix, page.after === '' ? '' : `${prefix}${page.after}`);
  const project = parseIdsEndpointName(records[0]?.name ?? '')?.project ?? '-';
  await caller.demand('compute.forwardingRules.list', {project, resource: parent});
  const shown = records.slice(0, max);
  const last = shown.at(-1)?.allocation?.rule.slice(prefix.length);
  const items = shown.flatMap(record => ruleOf(service, record) ?? []);
  return records.length > max && last !== undefined ? {items, nextPageToken: last} : {items};
};
