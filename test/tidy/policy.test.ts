// SPDX-License-Identifier: Apache-2.0
/** The promises about versions are written down, where the README leads to. */
import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';

const policy = readFileSync('docs/reference/compatibility-policy.md', 'utf8');

test('I-121 the deprecation policy says what stays compatible, for how long, and how changes are announced', () => {
  expect(policy).toMatch(/`v1`.*stay backward compatible within a major release/);
  expect(policy).toMatch(/announced at least one minor release ahead/);
  expect(readFileSync('README.md', 'utf8')).toMatch(
    /\(docs\/reference(\/compatibility-policy\.md)?\).*compatibility policy/,
  );
});

test('E-258 the policy says that resourceVersion is a change marker, never an API version', () => {
  expect(policy).toContain('`resourceVersion` is a change marker, never an API version.');
});
