// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {
  configKeyFaults,
  dns1123LabelFaults,
  dns1123SubdomainFaults,
  labelValueFaults,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  nameIsPathSegment,
  portNameFaults,
  portNumberFaults,
  qualifiedNameFaults,
} from './names.ts';

const ok: string[] = [];
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const NAME_PART =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const CONFIG_KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

describe('names', () => {
  test.each([
    ['a label', dns1123LabelFaults('a-1'), ok],
    ['a label of 63', dns1123LabelFaults('a'.repeat(63)), ok],
    ['a label of 64', dns1123LabelFaults('a'.repeat(64)), ['must be no more than 63 characters']],
    ['a label with dots', dns1123LabelFaults('a.b'), ['must not contain dots']],
    ['a label in capitals', dns1123LabelFaults('A'), [LABEL]],
    ['a label with a newline', dns1123LabelFaults('a\n'), [LABEL]],
    ['a subdomain', dns1123SubdomainFaults('a.b-c.d'), ok],
    ['a subdomain of 253', dns1123SubdomainFaults('a'.repeat(253)), ok],
    ['a subdomain of 254', dns1123SubdomainFaults('a'.repeat(254)), ['must be no more than 253 characters']],
    ['a subdomain with two dots', dns1123SubdomainFaults('a..b'), [SUBDOMAIN]],
    ['a qualified name', qualifiedNameFaults('example.com/A_b.c-d'), ok],
    ['a qualified name without a prefix', qualifiedNameFaults('/a'), ['prefix part must be non-empty']],
    ['a qualified name without a name', qualifiedNameFaults('a/'), ['name part must be non-empty', NAME_PART]],
    ['a qualified name of 64', qualifiedNameFaults('a'.repeat(64)), ['name part must be no more than 63 bytes']],
    ['an empty label value', labelValueFaults(''), ok],
    ['a label value of 64', labelValueFaults('a'.repeat(64)), ['must be no more than 63 bytes']],
    ['a port name', portNameFaults('a-1'), ok],
    ['a port name of 16', portNameFaults('a'.repeat(16)), ['must be no more than 15 characters']],
    ['a number as a port name', portNameFaults('80'), ['must contain at least one letter (a-z)']],
    ['a port name with two hyphens', portNameFaults('a--b'), ['must not contain consecutive hyphens']],
    ['a port name that begins with one', portNameFaults('-a'), ['must not begin or end with a hyphen']],
    [
      'an empty port name',
      portNameFaults(''),
      [
        'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        'must contain at least one letter (a-z)',
      ],
    ],
    ['a key of a ConfigMap', configKeyFaults('.a_B-1..'), ok],
    ['a key of 253', configKeyFaults('k'.repeat(253)), ok],
    ['a key of 254', configKeyFaults('k'.repeat(254)), ['must be no more than 253 characters']],
    ['an empty key', configKeyFaults(''), [CONFIG_KEY]],
    ['a key with a newline', configKeyFaults('a\n'), [CONFIG_KEY]],
    ['the key .', configKeyFaults('.'), ["must not be '.'"]],
    ['the key ..', configKeyFaults('..'), ["must not be '..'"]],
    ['a key behind two dots', configKeyFaults('../x'), [CONFIG_KEY, "must not start with '..'"]],
    ['the lowest port', portNumberFaults(1), ok],
    ['the highest port', portNumberFaults(65535), ok],
    ['port 0', portNumberFaults(0), ['must be between 1 and 65535, inclusive']],
    ['port 65536', portNumberFaults(65536), ['must be between 1 and 65535, inclusive']],
  ])('%s', (_, got, want) => expect(got).toEqual(want));

  test('lengths count bytes', () => {
    expect(labelValueFaults('é'.repeat(32))).toContain('must be no more than 63 bytes');
  });

  test('a prefix may end in a dash, a name may not', () => {
    expect(nameIsDnsSubdomain('a-', true)).toEqual([]);
    expect(nameIsDnsSubdomain('a-', false)).toEqual([SUBDOMAIN]);
    expect(nameIsDnsSubdomain('a.', true)).toEqual([SUBDOMAIN]);
    expect(nameIsDnsLabel('-', true)).toEqual([LABEL]);
    expect(nameIsPathSegment('system:a', false)).toEqual([]);
    expect(nameIsPathSegment('..', false)).toEqual(["may not be '..'"]);
    expect(nameIsPathSegment('a/%', false)).toEqual(["may not contain '/'", "may not contain '%'"]);
  });
});
