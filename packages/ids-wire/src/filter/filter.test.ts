// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import type {IdsEndpointMessage} from '../endpoint.ts';
import {ENDPOINT_LIST, OPERATION_LIST, THREAT_LIST} from '../list-schemas.ts';
import type {OperationMessage} from '../operation.ts';
import type {ThreatRecord} from '../records.ts';
import {compileFilter} from './compile.ts';
import {FilterError} from './filter-error.ts';
import {FILTER_DEPTH_MAX, FILTER_LENGTH_MAX, FILTER_TERMS_MAX} from './parse.ts';
import {lowerTimeBound} from './time-bound.ts';

const endpoint = (id: string, more: Partial<IdsEndpointMessage>): IdsEndpointMessage => ({
  name: `projects/p/locations/l/endpoints/${id}`,
  createTime: '2024-05-27T22:22:32.892Z',
  updateTime: '2024-05-27T22:22:32.892Z',
  network: 'projects/p/global/networks/default',
  severity: 'LOW',
  state: 'READY',
  ...more,
});

const ITEMS = {
  a: endpoint('a', {
    labels: {env: 'prod', tier: 'gold'},
    description: 'Alpha team',
    threatExceptions: ['111', '1:222'],
  }),
  b: endpoint('b', {severity: 'HIGH', labels: {env: 'test'}, trafficLogs: true, createTime: '2024-05-28T00:00:00Z'}),
  c: endpoint('c', {severity: 'CRITICAL', state: 'CREATING', description: 'it "quotes"', network: 'bare'}),
};

const matching = (filter: string): string => {
  const matches = compileFilter(filter, ENDPOINT_LIST);
  return Object.entries(ITEMS)
    .filter(([, item]) => matches(item))
    .map(([id]) => id)
    .join('');
};

describe('filter', () => {
  test.each([
    // equality
    {rule: 'an empty filter lets everything through', filter: '', want: 'abc'},
    {rule: 'blanks are an empty filter', filter: '  ', want: 'abc'},
    {rule: 'equality of an enum', filter: 'severity=HIGH', want: 'b'},
    {rule: 'equality with a quoted value', filter: 'severity="HIGH"', want: 'b'},
    {rule: 'single quotes are quotes', filter: "severity='HIGH'", want: 'b'},
    {rule: 'blanks around the comparator', filter: 'severity = HIGH', want: 'b'},
    {rule: 'inequality', filter: 'severity!=HIGH', want: 'ac'},
    {rule: 'a full name', filter: 'name="projects/p/locations/l/endpoints/a"', want: 'a'},
    {rule: 'a bare value may hold slashes', filter: 'name=projects/p/locations/l/endpoints/a', want: 'a'},
    {rule: 'strings are compared with their case', filter: 'description="alpha team"', want: ''},
    {rule: 'an escaped quote', filter: 'description="it \\"quotes\\""', want: 'c'},
    {rule: 'an absent string is the empty string', filter: 'description=""', want: 'b'},
    {rule: 'inequality holds for an absent string', filter: 'description!="Alpha team"', want: 'bc'},
    // wildcards
    {rule: 'a wildcard at the end', filter: 'description="Alpha*"', want: 'a'},
    {rule: 'a wildcard at the beginning', filter: 'network="*/networks/default"', want: 'ab'},
    {rule: 'a wildcard in the middle', filter: 'name="projects/*/endpoints/c"', want: 'c'},
    {rule: 'an escaped wildcard is a star', filter: 'description="Alpha\\*"', want: ''},
    {rule: 'inequality with a wildcard', filter: 'network!="*default"', want: 'c'},
    {rule: '=* is presence', filter: 'description=*', want: 'ac'},
    // order
    {rule: 'severities are ordered', filter: 'severity>=HIGH', want: 'bc'},
    {rule: 'strings are ordered by code unit', filter: 'network<c', want: 'c'},
    {rule: 'times are ordered', filter: 'createTime>"2024-05-27T22:22:33Z"', want: 'b'},
    {rule: 'a bare time', filter: 'create_time<=2024-05-27T22:22:32.892Z', want: 'ac'},
    {rule: 'a time with an offset', filter: 'createTime="2024-05-28T02:00:00+02:00"', want: 'b'},
    // booleans
    {rule: 'a boolean', filter: 'trafficLogs=true', want: 'b'},
    {rule: 'an absent boolean is false', filter: 'traffic_logs=false', want: 'ac'},
    {rule: 'output-only booleans that are never set', filter: 'satisfiesPzs=false', want: 'abc'},
    {rule: 'the name of a field is a word in quotes', filter: '"severity" in', want: ''},
    {rule: 'a word that compares elsewhere is a word after any other', filter: 'alpha in', want: 'a'},
    // maps and lists
    {rule: 'a map value', filter: 'labels.env=prod', want: 'a'},
    {rule: 'a map value with :', filter: 'labels.env:prod', want: 'a'},
    {rule: 'a map key with :*', filter: 'labels.env:*', want: 'ab'},
    {rule: 'a map key', filter: 'labels:tier', want: 'a'},
    {rule: 'a quoted map key', filter: 'labels."env"="test"', want: 'b'},
    {rule: 'an absent key is unequal', filter: 'labels.tier!=gold', want: 'bc'},
    {rule: 'an absent key is not below anything', filter: 'labels.tier<zzz', want: 'a'},
    {rule: 'presence of a map', filter: 'labels:*', want: 'ab'},
    {rule: 'an inherited member is no key', filter: 'labels.constructor:*', want: ''},
    {rule: 'a list element', filter: 'threatExceptions:"111"', want: 'a'},
    {rule: 'a list element with a colon', filter: 'threat_exceptions:1:222', want: 'a'},
    {rule: 'a part of a list element is none', filter: 'threatExceptions:11', want: ''},
    {rule: ': on a string looks for a part, whatever its case', filter: 'description:ALPHA', want: 'a'},
    // logic
    {rule: 'AND', filter: 'severity=LOW AND labels.env=prod', want: 'a'},
    {rule: 'a blank is AND', filter: 'severity=LOW labels.env=prod', want: 'a'},
    {rule: 'OR', filter: 'severity=LOW OR severity=CRITICAL', want: 'ac'},
    {rule: 'OR binds tighter than AND', filter: 'state=CREATING AND severity=LOW OR severity=CRITICAL', want: 'c'},
    {rule: 'OR binds tighter than a blank', filter: 'state=READY severity=LOW OR severity=HIGH', want: 'ab'},
    {rule: 'parentheses', filter: '(state=READY AND severity=LOW) OR severity=CRITICAL', want: 'ac'},
    {rule: 'NOT', filter: 'NOT severity=LOW', want: 'bc'},
    {rule: '- is NOT', filter: '-severity=LOW', want: 'bc'},
    {rule: 'NOT of parentheses', filter: 'NOT (severity=LOW OR severity=HIGH)', want: 'c'},
    {rule: '- of parentheses', filter: '-(severity=LOW OR severity=HIGH)', want: 'c'},
    {rule: 'NOT and AND', filter: 'NOT severity=LOW AND NOT severity=HIGH', want: 'c'},
    {rule: 'a composite argument', filter: 'severity=(LOW OR HIGH)', want: 'ab'},
    {rule: 'a composite argument with NOT', filter: 'labels.env:(NOT prod)', want: 'bc'},
    {rule: 'parentheses without blanks', filter: '(severity=LOW)OR(severity=HIGH)', want: 'ab'},
    // literals
    {rule: 'a bare value is looked for everywhere', filter: 'alpha', want: 'a'},
    {rule: 'two bare values', filter: 'alpha gold', want: 'a'},
    {rule: 'a quoted bare value', filter: '"Alpha team"', want: 'a'},
    {rule: 'a dotted bare value', filter: 'no.such.text', want: ''},
    {rule: 'a bare value that begins like a keyword', filter: 'ANDROID', want: ''},
  ])('I-110 $rule: $filter', ({filter, want}) => {
    expect(matching(filter)).toBe(want);
  });

  test.each([
    {rule: 'an open quote', filter: 'severity="LOW', message: /closing quote/},
    {rule: 'a dangling AND', filter: 'severity=LOW AND', message: /missing at the end/},
    {rule: 'a leading AND', filter: 'AND severity=LOW', message: /AND.*between two terms/},
    {rule: 'a dangling NOT', filter: 'NOT', message: /missing/},
    {rule: 'a lower-case keyword', filter: 'severity=LOW and state=READY', message: /written AND/},
    {rule: 'an open parenthesis', filter: '(severity=LOW', message: /"\)" is missing/},
    {rule: 'a closing parenthesis too many', filter: 'severity=LOW)', message: /unexpected "\)"/},
    {rule: 'a missing value', filter: 'severity=', message: /value is missing/},
    {rule: 'a missing field', filter: '=LOW', message: /missing/},
    {rule: 'an unknown field', filter: 'flavour=sweet', message: /no field "flavour"/},
    {rule: 'a slip in a name', filter: 'severty=LOW', message: /no field "severty"; did you mean severity\?/},
    {rule: 'a slip in snake_case', filter: 'creat_tim=1', message: /"creat_tim"; did you mean create_time\?/},
    {rule: 'a slip in camelCase', filter: 'endpontIp=1', message: /"endpontIp"; did you mean endpointIp\?/},
    {rule: 'a slip in the end of a name', filter: 'exceptons:1', message: /did you mean threat_exceptions\?/},
    {rule: 'a name like none', filter: 'colour=red', message: /no field "colour" \(at/},
    {rule: '== of other languages', filter: 'severity==HIGH', message: /write = instead of == \(at character 9\)/},
    {rule: '<> of other languages', filter: 'severity<>HIGH', message: /write != instead of <>/},
    {rule: 'in', filter: 'severity in (HIGH)', message: /"severity in" is no comparison: write severity=\(A OR B\)/},
    {
      rule: 'NOT IN',
      filter: 'state=READY severity NOT IN (HIGH)',
      message: /write severity=\(A OR B\) \(at character 13/,
    },
    {rule: 'is', filter: 'traffic_logs IS true', message: /write traffic_logs=VALUE/},
    {rule: 'like', filter: 'NOT (description like "x")', message: /write description:VALUE/},
    {rule: 'contains at the end', filter: 'description contains', message: /write description:VALUE/},
    {rule: 'a part of a name', filter: 'sever=LOW', message: /no field "sever"; did you mean severity\?/},
    {rule: 'an unknown sub-field', filter: 'name.first=a', message: /no field "name.first"/},
    {rule: 'an unknown enum value', filter: 'severity=SEVERE', message: /"SEVERE" is not a value/},
    {rule: 'an enum in lower case', filter: 'state=ready', message: /not a value/},
    {rule: 'a bad boolean', filter: 'trafficLogs=yes', message: /true or false/},
    {rule: 'a bad time', filter: 'createTime>yesterday', message: /RFC 3339/},
    {rule: 'a day that is none', filter: 'createTime>"2024-02-31T00:00:00Z"', message: /RFC 3339/},
    {rule: 'order of a boolean', filter: 'trafficLogs>false', message: /no order/},
    {rule: 'order of a state', filter: 'state<READY', message: /no order/},
    {rule: 'equality of a map', filter: 'labels=prod', message: /is a map/},
    {rule: 'equality of a list', filter: 'threatExceptions="111"', message: /is a list/},
    {rule: 'a function', filter: 'exists(name)', message: /no function "exists"/},
    {rule: 'a comma', filter: 'severity=LOW, state=READY', message: /unexpected ","/},
    {rule: 'a lonely exclamation mark', filter: 'severity!LOW', message: /unexpected|missing/},
  ])('I-097 refuses $rule: $filter', ({filter, message}) => {
    expect(() => matching(filter)).toThrow(FilterError);
    expect(() => matching(filter)).toThrow(message);
  });

  test('limits: length, terms and depth are refused just beyond them, not before', () => {
    const terms = (n: number): string => Array.from({length: n}, () => 'a').join(' ');
    const nested = (n: number): string => `${'('.repeat(n)}a${')'.repeat(n)}`;
    expect(() => matching(terms(FILTER_TERMS_MAX))).not.toThrow();
    expect(() => matching(terms(FILTER_TERMS_MAX + 1))).toThrow(/terms/);
    expect(() => matching(nested(FILTER_DEPTH_MAX))).not.toThrow();
    expect(() => matching(nested(FILTER_DEPTH_MAX + 1))).toThrow(/nested deeper/);
    expect(() => matching('a'.repeat(FILTER_LENGTH_MAX))).not.toThrow();
    expect(() => matching('a'.repeat(FILTER_LENGTH_MAX + 1))).toThrow(/longer than/);
  });
});

describe('filter on operations', () => {
  const operation: OperationMessage = {
    name: 'projects/p/locations/l/operations/o',
    createTime: '2024-05-27T22:22:32Z',
    target: 'projects/p/locations/l/endpoints/a',
    verb: 'create',
    requestedCancellation: false,
    result: {kind: 'error', error: {code: 8, message: 'no address is left'}},
  };
  test.each([
    {filter: 'done=true', want: true},
    {filter: 'metadata.verb=create', want: true},
    {filter: 'metadata.verb=delete', want: false},
    {filter: 'metadata.target="projects/p/locations/l/endpoints/a"', want: true},
    {filter: 'metadata.requested_cancellation=false', want: true},
    {filter: 'error.code=8', want: true},
    {filter: 'error.code>8', want: false},
    {filter: 'error.message:address', want: true},
    {filter: 'metadata.end_time:*', want: false},
  ])('I-110 $filter is $want', ({filter, want}) => {
    expect(compileFilter(filter, OPERATION_LIST)(operation)).toBe(want);
  });
});

describe('filter on records', () => {
  const threat = {
    threat_id: '1:2019401',
    alert_severity: 'HIGH',
    source_port: '59186',
    cves: ['CVE-2014-6271'],
    references: ['https://sqlmap.org/'],
    mitre_tactics: [{id: 'TA0001', name: 'Initial Access'}],
    mitre_techniques: [{id: 'T1059.001', name: 'PowerShell'}],
    comments: [{text: 'a scanner of ours'}, {text: 'Ticket 4711'}],
  } as unknown as ThreatRecord;
  test.each([
    {filter: 'alert_severity>=MEDIUM', want: true},
    {filter: 'threat_id=1:2019401', want: true},
    {filter: 'source_port>1024', want: true},
    {filter: 'source_port>"60000"', want: false},
    {filter: 'cves:CVE-2014-6271', want: true},
    {filter: 'comments:scanner', want: true},
    {filter: 'comments:TICKET', want: true},
    {filter: 'comments:"scanner*4711"', want: false},
    {filter: 'comments:"a*OURS"', want: true},
    {filter: 'comments:theirs', want: false},
    {filter: 'references:sqlmap', want: true},
    {filter: 'mitre_tactics:access', want: true},
    {filter: 'mitre_tactics:TA0001', want: true},
    {filter: 'mitre_tactics:TA00', want: false},
    {filter: 'mitre_techniques:powershell', want: true},
    {filter: 'mitre_techniques:T1059', want: false},
    {filter: 'mitre_techniques:T1059.001', want: true},
    {filter: 'mitre_techniques:"T1059*"', want: true},
  ])('F-14 $filter is $want', ({filter, want}) => {
    expect(compileFilter(filter, THREAT_LIST)(threat)).toBe(want);
  });
});

describe('lower time bound', () => {
  test.each([
    {filter: 'alert_time>="1970-01-01T00:00:01Z"', want: 1000},
    {filter: 'a=b AND (alert_time>1970-01-01T00:00:01Z AND alert_time>=1970-01-01T00:00:02Z)', want: 2000},
    {filter: 'alert_time>="1970-01-01T00:00:01Z" OR a=b', want: undefined},
    {filter: 'NOT alert_time>="1970-01-01T00:00:01Z"', want: undefined},
    {filter: 'alert_time<"1970-01-01T00:00:01Z"', want: undefined},
    {filter: '', want: undefined},
  ])('$filter: $want', ({filter, want}) => {
    expect(lowerTimeBound(filter, ['alert_time'])).toBe(want);
  });
});
