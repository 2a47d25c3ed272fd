// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {usedVariables} from './rule-header.ts';
import {groupVariables, missingVariables} from './variables.ts';

const RULE = 'alert tcp [$EXTERNAL_NET, !$BAD] any -> $HOME_NET [$WEB,!$ADMIN] (msg:"$NOT"; sid:1;)';
const groupsOf = (vars: Record<string, string>, rule = RULE) => groupVariables(vars, usedVariables(rule));

test('43-2 variables of a rule are those of its head, by their place', () => {
  expect(usedVariables(RULE)).toEqual([
    {name: 'EXTERNAL_NET', group: 'address'},
    {name: 'BAD', group: 'address'},
    {name: 'HOME_NET', group: 'address'},
    {name: 'WEB', group: 'port'},
    {name: 'ADMIN', group: 'port'},
  ]);
  expect(usedVariables('alert tcp $A (msg:"x"; sid:1;)')).toEqual([]);
});

test.each([
  ['a known name', 'HTTP_PORTS', '[80,8080]', 'port'],
  ['a known name', 'DNS_SERVERS', '10.0.0.53', 'address'],
  ['its use in rules', 'WEB', '[any,!22]', 'port'],
  ['its use in rules', 'BAD', 'any', 'address'],
  ['its value', 'OTHER', '[1024:,!2000:3000]', 'port'],
  ['its value', 'OTHER', '[10.0.0.0/8, !10.1.2.3, fd00::/8, 10.0.0.1-10.0.0.9]', 'address'],
  ['what it refers to', 'OTHER', '[$HTTP_PORTS,$SSH_PORTS]', 'port'],
])('43-2 the group of a variable comes from %s', (_, name, value, group) => {
  const {groups, faults} = groupsOf({[name]: value});
  expect(faults).toEqual([]);
  expect(groups[group as 'port']).toEqual({[name]: value});
});

test('43-2 all faults of variables are named at once, and nothing gets out of its place in the configuration', () => {
  const {faults} = groupsOf({
    HOME_NET: '10.0.0.0/8',
    WEB: '10.0.0.1',
    DNS_SERVERS: '10.0.0.0/33',
    HTTP_PORTS: '80\nrule-files: [x]',
    SSH_PORTS: '99999',
    ADMIN: '[22,$NO]',
    BAD: '$A',
    A: '$BAD',
    Q: '"',
  });
  expect(faults).toEqual([
    'DNS_SERVERS: "10.0.0.0/33" is not a value: it must be addresses such as 10.0.0.53 or [10.0.0.0/8,!10.1.0.0/16]',
    'HOME_NET: your networks are set with --home-net',
    'HTTP_PORTS: "80\\nrule-files: [x]" is not a value: it must be ports such as 8080 or [80,8000:8100]',
    expect.stringMatching(/^Q: /),
    expect.stringMatching(/^SSH_PORTS: "99999" is not a value/),
    'WEB: "10.0.0.1" is not a value: it must be ports such as 8080 or [80,8000:8100]',
    'A: refers to itself',
    'BAD: refers to itself',
    'ADMIN: there is no variable $NO of ports',
  ]);
});

test('43-2 a variable that rules use in both places has no group', () => {
  expect(groupsOf({X: 'any'}, 'alert tcp $X $X -> any any (sid:1;)').faults).toEqual([
    'X: rules use it both for addresses and for ports: use two variables',
  ]);
});

test('43-2 a rule with a variable that nobody defines says which, and how to set it', () => {
  const {groups} = groupsOf({WEB: '80'});
  expect(missingVariables(usedVariables(RULE), groups)).toBe(
    'the address variable $BAD is not defined: set it with --var BAD=…; the port variable $ADMIN is not defined: set it with --var ADMIN=…',
  );
  expect(missingVariables(usedVariables('alert tcp $HTTP_PORTS any -> any any (sid:1;)'), groups)).toMatch(
    /HTTP_PORTS/,
  );
});
