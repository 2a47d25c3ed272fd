// SPDX-License-Identifier: Apache-2.0
import {DecodeError, decodeJson, type Json} from '@palisade/wire/kube';
import {badRequest, notServedYet} from '../status-error.ts';

/** YAML as JSON text. Throws DecodeError. */
export const yamlToJson = (_bytes: Buffer): {text: Buffer | string; strictErrors: readonly string[]} => {
  throw notServedYet('a YAML body');
};

/** The configuration of an apply as it was written, nothing dropped. Throws StatusError 400. */
export const applyBodyToValue = (bytes: Buffer): {value: Json; strictErrors: readonly string[]} => {
  try {
    return {value: decodeJson(bytes).value, strictErrors: []};
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(`error decoding YAML: ${error.message}`);
    throw error;
  }
};

/** JSON text as YAML. */
export const toYaml = (_json: string): Buffer => {
  throw notServedYet('YAML');
};
