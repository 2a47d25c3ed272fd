// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {jsonToYaml} from './yaml.ts';

test('48-6 integers of 64 bits are not rounded on their way into YAML', () => {
  expect(jsonToYaml('{"a":9007199254740993,"b":[-9223372036854775808],"c":"9007199254740993"}')).toBe(
    'a: 9007199254740993\nb:\n- -9223372036854775808\nc: "9007199254740993"\n',
  );
  expect(jsonToYaml('9223372036854775807')).toBe('9223372036854775807\n');
});
