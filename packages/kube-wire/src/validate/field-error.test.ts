// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {invalidStatus} from '../status/status.ts';
import {
  aggregateText,
  childPath,
  duplicate,
  fieldErrorText,
  forbidden,
  indexPath,
  invalid,
  keyPath,
  notSupported,
  PrintedValue,
  required,
  tooLong,
  tooMany,
} from './field-error.ts';

describe('the text of a fault', () => {
  test.each([
    [required('a', ''), 'a: Required value'],
    [required('a', 'why'), 'a: Required value: why'],
    [invalid('a', 'x"y', 'why'), 'a: Invalid value: "x\\"y": why'],
    [invalid('a', 5, 'why'), 'a: Invalid value: 5: why'],
    [invalid('a', true, ''), 'a: Invalid value: true'],
    [invalid('a', null, 'why'), 'a: Invalid value: null: why'],
    [invalid('a', ['x', '<'], 'why'), 'a: Invalid value: ["x","\\u003c"]: why'],
    [invalid('a', {b: 1, a: 2}, 'why'), 'a: Invalid value: {"a":2,"b":1}: why'],
    [invalid('a', new PrintedValue('{"z":1,"a":2}'), 'why'), 'a: Invalid value: {"z":1,"a":2}: why'],
    [invalid('a', undefined, 'why'), 'a: Invalid value: why'],
    [notSupported('a', 'x', ['SCTP', 'TCP']), 'a: Unsupported value: "x": supported values: "SCTP", "TCP"'],
    [duplicate('a', 'x'), 'a: Duplicate value: "x"'],
    [forbidden('a', 'why'), 'a: Forbidden: why'],
    [tooLong('a', 262144), 'a: Too long: may not be more than 262144 bytes'],
    [tooLong('a', 1), 'a: Too long: may not be more than 1 byte'],
    [tooMany('a', 3, 2), 'a: Too many: 3: must have at most 2 items'],
    [tooMany('a', 3, 1), 'a: Too many: 3: must have at most 1 item'],
  ])('%#', (error, want) => expect(fieldErrorText(error)).toBe(want));
});

test('several faults stand in brackets, equal ones once', () => {
  const a = required('a');
  expect(aggregateText([a])).toBe('a: Required value');
  expect(aggregateText([a, a])).toBe('a: Required value');
  expect(aggregateText([a, required('b')])).toBe('[a: Required value, b: Required value]');
});

test('E-252 all faults of one object are causes of one answer, repeated ones too', () => {
  const errors = [required('a'), required('a'), invalid('b', 1, 'why')];
  expect(invalidStatus({group: '', kind: 'Endpoints'}, 'x', errors)).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'Endpoints "x" is invalid: [a: Required value, b: Invalid value: 1: why]',
    reason: 'Invalid',
    details: {
      name: 'x',
      kind: 'Endpoints',
      causes: [
        {reason: 'FieldValueRequired', message: 'Required value', field: 'a'},
        {reason: 'FieldValueRequired', message: 'Required value', field: 'a'},
        {reason: 'FieldValueInvalid', message: 'Invalid value: 1: why', field: 'b'},
      ],
    },
    code: 422,
  });
});

test('of faults that quote more than a mebibyte only the first are told, and how many more there are', () => {
  const value = 'x'.repeat(300_000);
  const status = invalidStatus({group: '', kind: 'Endpoints'}, 'x', new Array(9).fill(invalid('a', value, 'why')));
  expect(status.details?.causes).toHaveLength(3);
  expect(status.message).toMatch(/why and 6 more$/);
  const large = invalid('a', 'x'.repeat(2_000_000), 'why');
  expect(invalidStatus({group: '', kind: 'Endpoints'}, 'x', [large, large]).details?.causes).toHaveLength(1);
});

test('paths', () => {
  expect(indexPath(childPath(childPath('', 'a'), 'b'), 2)).toBe('a.b[2]');
  expect(keyPath('a', 'k')).toBe('a[k]');
});
