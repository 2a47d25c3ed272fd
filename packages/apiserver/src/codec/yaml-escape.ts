// SPDX-License-Identifier: Apache-2.0
/**
 * Escapes of JSON that go-yaml v2 refuses in quoted text: halves of a surrogate pair, and the slash.
 * Ref: go.yaml.in/yaml/v2 v2.4.3 scannerc.go yaml_parser_scan_flow_scalar.
 */
const SUSPECT = /\\(?:u[dD][89a-fA-F]|\/)/;
const ESCAPE = /\\(u[0-9a-fA-F]{4}|.)/gs;

/** A first look at a whole text: false for nearly all. */
export const mayHoldBadEscape = (text: string): boolean => text.includes('\\') && SUSPECT.test(text);

/** What is wrong with the escapes of a double-quoted scalar as it was written. */
export const escapeFault = (quoted: string): string | undefined => {
  for (const [, code = ''] of quoted.matchAll(ESCAPE)) {
    if (code === '/') return 'found unknown escape character';
    if (/^u[dD][89a-fA-F]/.test(code)) return 'found invalid Unicode character escape code';
  }
  return undefined;
};
