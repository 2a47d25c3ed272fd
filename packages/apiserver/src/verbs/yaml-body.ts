// SPDX-License-Identifier: Apache-2.0
/** Bodies that are YAML, or may be. */
import {DecodeError, decodeJson, type Json} from '@palisade/wire/kube';
import {yamlToJson} from '../codec/yaml.ts';
import {mayHoldBadEscape} from '../codec/yaml-escape.ts';
import {badRequest} from '../status-error.ts';

const CONVERSION = 'error converting YAML to JSON: ';

/** The configuration of an apply as it was written, nothing dropped. Most clients send JSON, which is read as such. Throws StatusError 400. */
export const applyBodyToValue = (bytes: Buffer): {value: Json; strictErrors: readonly string[]} => {
  const json = asPlainJson(bytes);
  if (json !== undefined) return {value: json, strictErrors: []};
  try {
    const {text, strictErrors} = yamlToJson(bytes);
    return {value: decodeJson(text).value, strictErrors: strictErrors.map(error => CONVERSION + error)};
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(`error decoding YAML: ${CONVERSION}${error.message}`);
    throw error;
  }
};

/** Undefined when the text is no JSON object, has a key twice or escapes that YAML lacks: then the YAML reader finds the words. */
const asPlainJson = (bytes: Buffer): Json | undefined => {
  if (bytes[0] !== 0x7b) return undefined;
  if (bytes.includes(0x5c) && mayHoldBadEscape(bytes.toString('latin1'))) return undefined;
  try {
    const {value, duplicates} = decodeJson(bytes);
    return duplicates.length === 0 ? value : undefined;
  } catch {
    // Not JSON; YAML may still make sense of it.
    return undefined;
  }
};
