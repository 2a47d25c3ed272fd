// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {type FairnessFlags, fairnessConfigOf} from './fairness-config.ts';

const NONE: FairnessFlags = {'max-requests-inflight': undefined, 'max-mutating-requests-inflight': undefined};

test('seats are the sum of both flags; the defaults are those of kube-apiserver', () => {
  expect(fairnessConfigOf(NONE)).toEqual({fairness: {seats: 600}, faults: []});
  const {fairness} = fairnessConfigOf({'max-requests-inflight': '10', 'max-mutating-requests-inflight': '5'});
  expect(fairness.seats).toBe(15);
});

test('every fault is named at once', () => {
  const {faults} = fairnessConfigOf({'max-requests-inflight': '0', 'max-mutating-requests-inflight': 'many'});
  expect(faults).toEqual([
    '--max-requests-inflight 0: must be a whole number from 1 to 100000',
    '--max-mutating-requests-inflight many: must be a whole number from 1 to 100000',
  ]);
});
