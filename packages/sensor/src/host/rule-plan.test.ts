// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import type {RuleSetSpec} from '../rules/sources.ts';
import {chooseRules, type RulePlan, rulePlanFaults} from './rule-plan.ts';

const set = (name: string): RuleSetSpec => ({name, sources: [], thresholds: []});
const at = (location: string, id: string, project = 'p'): string =>
  `projects/${project}/locations/${location}/endpoints/${id}`;
const plan = (more: Partial<RulePlan>): RulePlan => ({
  ruleSets: ['default', 'dmz', 'strict', 'lab'].map(set),
  bindings: [],
  endpointVars: [],
  ...more,
});

test.each([
  {name: 'no binding: the default', endpoint: at('local', 'web'), want: 'default'},
  {name: 'its location', endpoint: at('edge', 'web'), want: 'dmz'},
  {name: 'its name with a wildcard, before its location', endpoint: at('edge', 'lab-1'), want: 'lab'},
  {name: 'its full name, before one with a wildcard', endpoint: at('edge', 'lab-9'), want: 'strict'},
  {name: '"-" for a project does not stand for a part of an id', endpoint: at('edge', 'a-lab-1'), want: 'dmz'},
])('43-2 the most specific binding counts: $name', ({endpoint, want}) => {
  const bindings = [
    {set: 'dmz', location: 'edge'},
    {set: 'lab', endpoint: at('-', 'lab-*', '-')},
    {set: 'strict', endpoint: at('edge', 'lab-9')},
  ];
  expect(chooseRules(plan({bindings}), endpoint).id).toBe(want);
});

test('43-2 endpoints with the same variables share a set, others have one of their own', () => {
  const endpointVars = [
    {match: at('edge', 'web'), vars: {DNS_SERVERS: '10.0.0.53'}},
    {match: at('edge', '*'), vars: {DNS_SERVERS: '10.0.0.1', SMTP_SERVERS: '10.0.0.25'}},
  ];
  const choose = (endpoint: string) => chooseRules(plan({endpointVars}), endpoint);
  expect(choose(at('local', 'web'))).toMatchObject({id: 'default', vars: {}});
  expect(choose(at('edge', 'web')).vars).toEqual({DNS_SERVERS: '10.0.0.53', SMTP_SERVERS: '10.0.0.25'});
  expect(choose(at('edge', 'a')).id).toMatch(/^default~[0-9a-f]{8}$/);
  expect(choose(at('edge', 'a')).id).toBe(choose(at('edge', 'b')).id);
  expect(choose(at('edge', 'a')).id).not.toBe(choose(at('edge', 'web')).id);
});

test('43-2 every fault of a plan is named with its field and the way out', () => {
  const faults = rulePlanFaults({
    ruleSets: ['default', 'a b', 'default'].map(set),
    bindings: [{set: 'dmz', location: 'edge'}, {set: 'default'}, {set: 'default', endpoint: 'web'}],
    endpointVars: [{match: 'web', vars: {}}],
  });
  const form = 'must be a full name, projects/PROJECT/locations/LOCATION/endpoints/ENDPOINT; "-" and "*" are wildcards';
  expect(faults).toEqual([
    'ruleSets[1].name "a b": must be letters, digits, ".", "_" and "-", at most 63',
    'ruleSets[2].name "default": is used twice; give each set its own',
    'bindings[0].set "dmz": no rule set has this name; the names are default, a b, default',
    'bindings[1]: give location or endpoint, and not both',
    `bindings[2].endpoint "web": ${form}`,
    `endpointVars[0].match "web": ${form}`,
  ]);
  expect(rulePlanFaults(plan({}))).toEqual([]);
});
