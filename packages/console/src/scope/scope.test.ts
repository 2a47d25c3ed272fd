// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {
  EVERYWHERE,
  keptOf,
  missingOf,
  NO_SCOPE,
  parentOf,
  parseKept,
  projectOf,
  scopeText,
  whyNotProject,
} from './scope.ts';

test('49-3 a project is an id, with a location or without', () => {
  expect(['', 'p', 'p/l', '-', 'p/l/x', 'a b'].map(parentOf)).toEqual([
    'projects/-/locations/-',
    'projects/p/locations/-',
    'projects/p/locations/l',
    'projects/-/locations/-',
    'projects/-/locations/-',
    'projects/-/locations/-',
  ]);
  expect(['', 'p', 'p/l', '-'].map(whyNotProject)).toEqual([undefined, undefined, undefined, undefined]);
  expect(whyNotProject('a b')).toMatch(/not a project/);
  expect([parseKept('{"project":"p","namespace":1}'), parseKept('x')]).toEqual([
    {project: 'p', namespace: ''},
    {project: '', namespace: ''},
  ]);
});

test('49-3 a page without a scope in its address takes the one that was chosen last, on all pages', () => {
  const kept = keptOf({project: 'shop/local'}, {namespace: 'web', project: ''});
  expect(kept).toEqual({namespace: 'web', project: 'shop/local'});
  expect(missingOf({namespace: '', project: ''}, kept)).toEqual(kept);
  expect(missingOf({in: ''}, kept)).toEqual({in: 'projects/shop/locations/local/endpoints/-'});
  expect(missingOf({project: 'other'}, kept)).toEqual({});
  expect([missingOf({project: '', in: ''}, NO_SCOPE), missingOf({}, kept)]).toEqual([{}, {}]);
});

test('49-3 a choice of all or of a location is remembered, one endpoint is not', () => {
  const before = {namespace: '', project: 'shop'};
  const kept = (name: string): string => keptOf({in: name}, before).project;
  expect(kept(EVERYWHERE)).toBe('-');
  expect(kept('projects/p/locations/l/endpoints/-')).toBe('p/l');
  expect(kept('projects/p/locations/-/endpoints/-')).toBe('p');
  expect(kept('projects/p/locations/l/endpoints/edge')).toBe('shop');
  expect(projectOf('projects/p/locations/l/endpoints/edge')).toBeUndefined();
  expect(keptOf({namespace: ''}, before)).toEqual({namespace: '-', project: 'shop'});
});

test('49-3 IDS endpoints are named in words', () => {
  const words = [EVERYWHERE, 'projects/p/locations/-/endpoints/-', 'projects/p/locations/l/endpoints/-'].map(scopeText);
  expect(words).toEqual(['all in all projects', 'all in project p', 'all in project p, location l']);
  expect(scopeText('projects/p/locations/l/endpoints/e')).toBe('projects/p/locations/l/endpoints/e');
});
