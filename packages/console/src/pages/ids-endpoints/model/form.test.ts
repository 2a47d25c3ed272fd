// SPDX-License-Identifier: Apache-2.0
import {IdsError} from '@palisade/client/browser';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {type Draft, faultsOf, labelsText, parseExceptions, parseLabels, toEndpoint} from './form.ts';

const DRAFT: Draft = {
  ...{project: 'p', location: 'local', id: 'e', network: ' prod ', severity: 'HIGH', description: '', labels: ''},
  ...{threatExceptions: '', trafficLogs: false},
};

test('49-3 labels come back from their text', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9_-]{0,5}$/);
  fc.assert(
    fc.property(fc.dictionary(word, word), labels => {
      expect(parseLabels(labelsText(labels))).toEqual({...labels});
    }),
  );
  expect(parseLabels('a=b=c\n\n team = shop \nbare')).toEqual({a: 'b=c', team: 'shop', bare: ''});
});

test('49-3 what is left empty is left out of the request', () => {
  expect(toEndpoint(DRAFT)).toEqual({network: 'prod', severity: 'HIGH'});
  expect(toEndpoint({...DRAFT, labels: 'a=b', threatExceptions: '1:1, 1:2\n1:1', trafficLogs: true})).toEqual({
    ...{network: 'prod', severity: 'HIGH', labels: {a: 'b'}, threatExceptions: ['1:1', '1:2'], trafficLogs: true},
  });
  expect(parseExceptions(' , ')).toEqual([]);
});

test('49-3 each fault is at its field, several of one field below each other', () => {
  const violations = [
    {field: 'endpoint_id', description: 'must start with a letter'},
    {field: 'endpoint.labels', description: '"A": bad key'},
    {field: 'endpoint.labels', description: '"B": bad key'},
    {field: 'endpoint.threatExceptions', description: 'element 1 is empty'},
    {field: 'parent', description: 'there is no location x'},
    {field: 'request_id', description: 'must be a UUID'},
  ];
  expect(faultsOf(new IdsError('INVALID_ARGUMENT', 'six faults', violations))).toEqual({
    id: 'must start with a letter',
    labels: '"A": bad key\n"B": bad key',
    threatExceptions: 'element 1 is empty',
    location: 'there is no location x',
    rest: 'request_id: must be a UUID',
  });
  expect(faultsOf(new IdsError('ALREADY_EXISTS', 'endpoint e exists'))).toEqual({rest: 'Endpoint e exists'});
});
