// SPDX-License-Identifier: Apache-2.0
/**
 * JSON text as YAML. The reference reads the JSON as YAML first, so what a YAML reader makes of the characters in it shows in
 * the answer. Ref: sigs.k8s.io/yaml v1.6.0 JSONToYAML; go.yaml.in/yaml/v2 v2.4.3 readerc.go yaml_parser_update_buffer,
 * scannerc.go yaml_parser_scan_flow_scalar.
 */
import {decodeJson} from '../codec/decode.ts';
import type {Json} from '../schema.ts';
import {toYaml} from './yaml-encode.ts';

/** What a YAML text cannot have in it. JSON escapes what is below the space. */
const CONTROL = /[\x7f-\x84\x86-\x9f\ufffe\uffff]/;
/** Next line, with the spaces around it: the only break that JSON leaves unescaped in a string. A run of spaces is looked at once. */
const FOLDED = /(?<! ) *\x85[ \x85]*/g;

/** One break is a space; of more, the first one goes. */
const fold = (breaks: string): string => {
  const count = breaks.split('\x85').length - 1;
  return count === 1 ? ' ' : '\\n'.repeat(count - 1);
};

/** Why `json` cannot be written as YAML; undefined when it can. */
export const yamlFault = (json: string): string | undefined =>
  CONTROL.test(json) ? 'yaml: control characters are not allowed' : undefined;

/** With a final newline. `json` is compact and without a fault. */
export const jsonToYaml = (json: string): string =>
  toYaml(parsed(json.includes('\x85') ? json.replace(FOLDED, fold) : json));

/** Perhaps an integer that a float would round. */
const LONG_INTEGER = /(?:^|[[:,])-?\d{16,}(?=[,\]}]|$)/;

const parsed = (json: string): Json => {
  try {
    return LONG_INTEGER.test(json) ? decodeJson(json).value : (JSON.parse(json) as Json);
  } catch {
    throw new Error('the text is not JSON'); // a SyntaxError quotes it, and it can be that of a Secret
  }
};
