// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import type {Draft} from './form.ts';
import {exceptionsFault, ownFaults} from './own-faults.ts';

const DRAFT: Draft = {
  ...{project: 'p', location: 'local', id: 'e', network: 'prod', severity: 'HIGH', description: '', labels: ''},
  ...{threatExceptions: '', trafficLogs: false},
};

test('49-3 an exception that is no threat id is named with the way out; ids, and those of other products, are not', () => {
  expect(exceptionsFault(['1:2019401', 'abc', '1:2:3'])).toBe(
    [
      '"abc" is not a threat id and matches nothing: use gid:sid or sid, such as 1:2019401',
      '"1:2:3" is not a threat id and matches nothing: use gid:sid or sid, such as 1:2019401',
    ].join('\n'),
  );
  expect(exceptionsFault(['1:2019401', '2019401', 'T-1'])).toBeUndefined();
});

test('49-3 a form with one is not sent, and names its other faults at once', () => {
  expect(ownFaults({...DRAFT, threatExceptions: '1:2019401 T-1'})).toBeUndefined();
  expect(ownFaults({...DRAFT, id: 'Not-Valid', labels: 'Team=x'})).toBeUndefined();
  expect(ownFaults({...DRAFT, threatExceptions: 'abc'})).toEqual({
    threatExceptions: expect.stringMatching(/^"abc" is not a threat id/),
  });
  const bad = {id: 'Not-Valid', network: '', labels: 'Team=x', threatExceptions: `abc ${'x'.repeat(257)}`};
  expect(ownFaults({...DRAFT, ...bad})).toEqual({
    id: expect.stringMatching(/^"Not-Valid" must/),
    network: expect.stringMatching(/^is required/),
    labels: expect.stringMatching(/^"Team": the key must start/),
    threatExceptions: expect.stringMatching(
      /^element 1 must be no longer than 256 characters\n"abc" is not a threat id/,
    ),
  });
});

test('49-3 project, location and name are judged with all other faults, although the API judges the path alone', () => {
  const labels = expect.stringMatching(/^"Team"/);
  expect(ownFaults({...DRAFT, project: 'P! x', labels: 'Team=x'})).toEqual({
    project: '"P! x" must have 1 to 128 characters, without spaces and slashes',
    labels,
  });
  const bad = {project: '-', location: 'a/b', id: '', network: '', labels: 'Team=x'};
  expect(Object.keys(ownFaults({...DRAFT, ...bad}) ?? {}).sort()).toEqual([
    'id',
    'labels',
    'location',
    'network',
    'project',
  ]);
});
