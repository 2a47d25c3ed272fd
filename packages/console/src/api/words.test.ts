// SPDX-License-Identifier: Apache-2.0
import {IdsError, KubeError} from '@palisade/client/browser';
import {expect, test} from 'vitest';
import {errorText, refusalWords} from './words.ts';

test('49-3 a refusal is shown as the server words it: only a sentence gets a capital, no name does', () => {
  const ofIds = (message: string): string => errorText(new IdsError('INVALID_ARGUMENT', message));
  expect(ofIds('endpoint.labels: at most 64 labels')).toBe('endpoint.labels: at most 64 labels');
  expect(ofIds('labels: at most 64 labels')).toBe('labels: at most 64 labels');
  expect(ofIds('threatExceptions has 120 elements')).toBe('threatExceptions has 120 elements');
  expect(ofIds('the permission ids.threats.list is missing')).toBe('The permission ids.threats.list is missing');
  const message = 'endpoints "web" already exists';
  expect(errorText(new KubeError({code: 409, reason: 'AlreadyExists', message, causes: []}))).toBe(message);
});

test.each([
  [
    'endpoints is forbidden: User "jane" cannot list resource "endpoints" at the cluster scope',
    /^User "jane" cannot list/,
  ],
  ['endpoints "web" is forbidden: User "jane" cannot list resource "endpoints"', /^User "jane" cannot list/],
  ['endpointgroups.platform.io is forbidden: User "jane" cannot list resource', /^User "jane" cannot list/],
  ['forbidden: User "jane" cannot get path "/audit"', /^User "jane" cannot get path/],
  ['pods "web" is forbidden: exceeded quota: small', /^pods "web" is forbidden: exceeded quota: small$/],
])('49-3 %s: the sentence of the server, without the label before it', (message, text) => {
  expect(errorText(new KubeError({code: 403, reason: 'Forbidden', message, causes: []}))).toMatch(text);
});

test('49-3 a permission that is missing is named as a button names it; other reasons stay', () => {
  const resource = 'projects/p/locations/l/endpoints/e';
  const denied = `Permission 'ids.threats.getEvidence' denied on resource '//ids.googleapis.com/${resource}' (or it may not exist).`;
  expect(refusalWords(denied)).toBe(`You lack the permission ids.threats.getEvidence in ${resource}`);
  expect(refusalWords('it was deleted')).toBe('it was deleted');
});
