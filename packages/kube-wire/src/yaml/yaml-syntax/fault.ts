// SPDX-License-Identifier: Apache-2.0
/**
 * Syntax errors in the words of libyaml. The line where the scanner stopped is told, one line less where the parser
 * did, and none at all for the first. Ref: go.yaml.in/yaml/v2 v2.4.3 decode.go, parser.fail.
 */
import {DecodeError} from '../../codec/decode-error.ts';

/** `line` counts from 0. */
export function scannerFault(line: number, problem: string): DecodeError {
  return new DecodeError(line === 0 ? `yaml: ${problem}` : `yaml: line ${line + 1}: ${problem}`);
}

export function parserFault(line: number, problem: string): DecodeError {
  return new DecodeError(line === 0 ? `yaml: ${problem}` : `yaml: line ${line}: ${problem}`);
}
