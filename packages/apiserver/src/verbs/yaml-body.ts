// SPDX-License-Identifier: Apache-2.0
/** Bodies that are YAML, or may be. */
import {isUtf8} from 'node:buffer';
import {DecodeError, decodeJson, type Json} from '@palisade/kube-wire';
import {yamlToJson} from '@palisade/kube-wire/yaml';
import {badRequest} from '../base/status-error.ts';

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

/**
 * What YAML refuses or reads otherwise, in bytes: halves of a surrogate pair and the slash as escapes, characters that
 * YAML does not have, Unicode line breaks.
 */
const NOT_YAML = /\\(?:u[dD][89a-fA-F]|\/)|\x7f|\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9]|\xef\xbf[\xbe\xbf]/;

/** Undefined when the text is no JSON object, has a key twice or is not the same in YAML: then the YAML reader is asked. */
const asPlainJson = (bytes: Buffer): Json | undefined => {
  if (bytes[0] !== 0x7b || !isUtf8(bytes)) return undefined;
  if (NOT_YAML.test(bytes.toString('latin1'))) return undefined;
  try {
    const {value, duplicates} = decodeJson(bytes);
    return duplicates.length === 0 ? value : undefined;
  } catch {
    // Not JSON; YAML may still make sense of it.
    return undefined;
  }
};
