// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {encodeEndpoint, type IdsEndpointMessage} from './endpoint.ts';
import {decodeEndpointInput} from './endpoint-json.ts';
import {parseEndpointMask} from './field-mask.ts';
import {toLogEntry} from './log-entry.ts';
import {csvHeader, toCsvLine} from './record-formats.ts';
import type {ThreatRecord} from './records.ts';

describe('Endpoint from JSON', () => {
  test.each([
    {
      rule: 'camelCase',
      json: {trafficLogs: true, threatExceptions: ['1']},
      want: {trafficLogs: true, threatExceptions: ['1']},
    },
    {
      rule: 'snake_case',
      json: {traffic_logs: true, threat_exceptions: ['1']},
      want: {trafficLogs: true, threatExceptions: ['1']},
    },
    {rule: 'I-029 a severity by number', json: {severity: 4}, want: {severity: 'HIGH'}},
    {rule: 'null is the default', json: {labels: null, network: null, severity: null}, want: {}},
    {
      rule: 'I-058 output-only fields hold anything',
      json: {state: 7, createTime: [], endpointIp: {}, satisfiesPzs: 'x', name: 3},
      want: {},
    },
    {
      rule: '__proto__ is a label like any other',
      json: JSON.parse('{"labels": {"__proto__": "x"}}'),
      want: {labels: JSON.parse('{"__proto__": "x"}')},
    },
  ])('$rule', ({json, want}) => {
    expect(decodeEndpointInput(json)).toEqual({input: want, violations: []});
  });

  test.each([
    {json: {colour: 'blue'}, field: 'endpoint.colour', says: /Unknown name "colour"/},
    {json: {network: 7}, field: 'endpoint.network', says: /string, not a number/},
    {json: {severity: 'SEVERE'}, field: 'endpoint.severity', says: /"SEVERE" is not one of/},
    {json: {severity: 'high'}, field: 'endpoint.severity', says: /"high"/},
    {json: {severity: 9}, field: 'endpoint.severity', says: /9 is not the number/},
    {json: {severity: 1.5}, field: 'endpoint.severity', says: /1.5 is not the number/},
    {json: {severity: true}, field: 'endpoint.severity', says: /not a boolean/},
    {json: {labels: ['a']}, field: 'endpoint.labels', says: /not a list/},
    {json: {labels: {a: 1}}, field: 'endpoint.labels', says: /"a" must be a string, not a number/},
    {json: {labels: {a: null}}, field: 'endpoint.labels', says: /not null/},
    {json: {trafficLogs: 'true'}, field: 'endpoint.trafficLogs', says: /true or false/},
    {json: {threatExceptions: '1'}, field: 'endpoint.threatExceptions', says: /list of strings/},
    {json: {threatExceptions: ['1', 2]}, field: 'endpoint.threatExceptions', says: /element 1/},
    {json: {description: {}}, field: 'endpoint.description', says: /not an object/},
    {json: {trafficLogs: true, traffic_logs: true}, field: 'endpoint.trafficLogs', says: /twice/},
    {json: [], field: 'endpoint', says: /JSON object, not a list/},
    {json: 'x', field: 'endpoint', says: /JSON object, not a string/},
  ])('I-096 refuses $json', ({json, field, says}) => {
    const {violations} = decodeEndpointInput(json);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatchObject({field, description: expect.stringMatching(says)});
  });

  test('I-096 all faults at once', () => {
    const {violations} = decodeEndpointInput({colour: 1, shape: 2, network: 3, severity: 'x'});
    expect(violations.map(v => v.field)).toEqual([
      'endpoint.colour',
      'endpoint.shape',
      'endpoint.network',
      'endpoint.severity',
    ]);
  });
});

test('enums as numbers: severity and state, UPDATING is 4', () => {
  const message = {name: 'n', severity: 'MEDIUM', state: 'UPDATING'} as IdsEndpointMessage;
  expect(encodeEndpoint(message, 'int')).toMatchObject({severity: 3, state: 4});
  expect(encodeEndpoint(message, 'name')).toBe(message);
});

describe('update mask', () => {
  test.each([
    {mask: 'threat_exceptions', fields: ['threatExceptions'], scope: 'mask'},
    {mask: 'threatExceptions', fields: ['threatExceptions'], scope: 'mask'},
    {mask: 'labels, severity', fields: ['labels', 'severity'], scope: 'mask'},
    {mask: 'labels,labels', fields: ['labels'], scope: 'mask'},
    {mask: 'create_time,state,description', fields: ['description'], scope: 'mask'},
  ])('I-110 $mask', ({mask, fields, scope}) => {
    expect(parseEndpointMask(mask)).toEqual({fields, scope, violations: []});
  });
  test.each([
    [undefined, 'implicit'],
    ['', 'implicit'],
    ['*', 'star'],
  ])('%s is all fields', (mask, scope) => {
    expect(parseEndpointMask(mask)).toMatchObject({scope, violations: []});
    expect(parseEndpointMask(mask).fields).toHaveLength(6);
  });
  test.each(['flavour', 'labels.k', 'labels,*', 'Labels'])('refuses %s', mask => {
    expect(parseEndpointMask(mask).violations).toHaveLength(1);
  });
});

describe('record formats', () => {
  const threat = {
    threat_id: '1:7',
    name: 'say "hi", please',
    alert_time: '2024-05-27T22:42:30Z',
    cves: ['CVE-1', 'CVE-2'],
    uri_or_filename: '=cmd()',
    endpoint: 'projects/p/locations/l/endpoints/e',
  } as unknown as ThreatRecord;
  test('I-116 CSV quotes what needs it, joins lists, and leaves no formula', () => {
    const line = toCsvLine('threats', threat);
    expect(line).toContain('"say ""hi"", please"');
    expect(line).toContain("'=cmd()");
    expect(line).toContain('CVE-1 CVE-2');
    expect(line.split(',').length - 1).toBe(csvHeader('threats').split(',').length); // one comma is inside quotes
    expect(csvHeader('threats')).toMatch(/,id\r\n$/);
    expect(toCsvLine('threats', Object.assign({id: 'r-1'}, threat))).toMatch(/,r-1\r\n$/);
  });
  test('I-115 a log entry has the names of Cloud IDS, and the record without its endpoint', () => {
    expect(toLogEntry('threats', 'i', threat)).toMatchObject({
      insertId: 'i',
      logName: 'projects/p/logs/ids.googleapis.com%2Fthreat',
      resource: {
        type: 'ids.googleapis.com/Endpoint',
        labels: {id: 'e', location: 'l', resource_container: 'projects/p'},
      },
      timestamp: '2024-05-27T22:42:30Z',
      jsonPayload: expect.not.objectContaining({endpoint: expect.anything()}),
    });
  });
});
