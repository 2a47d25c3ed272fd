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
 * What go-yaml refuses or reads otherwise, in bytes: halves of a surrogate pair and the slash as escapes, characters that
 * YAML does not have, Unicode line breaks, keys that are long, have a quote or are apart from their colon.
 */
const NOT_YAML =
  /\\(?:u[dD][89a-fA-F]|\/)|\x7f|\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9]|\xef\xbf[\xbe\xbf]|"[^"]{1000,}"\s*:|\\"[^"]*"\s*:|"[^\S\r\n]*[\r\n]\s*:/;

/** In YAML no line begins with a tab, except within brackets. */
const TAB_BEHIND = /[\r\n] *\t/;

/** Undefined when the text is no JSON object, has a key twice or is not the same in YAML: then the YAML reader is asked. */
const asPlainJson = (bytes: Buffer): Json | undefined => {
  if (bytes[0] !== 0x7b || !isUtf8(bytes)) return undefined;
  const text = bytes.toString('latin1');
  if (NOT_YAML.test(text) || TAB_BEHIND.test(text.slice(text.lastIndexOf('}')))) return undefined;
  try {
    const {value, duplicates} = decodeJson(bytes);
    return duplicates.length === 0 ? value : undefined;
  } catch {
    // Not JSON; YAML may still make sense of it.
    return undefined;
  }
};
