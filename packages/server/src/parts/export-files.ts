// SPDX-License-Identifier: Apache-2.0
/** The files that settings of an exporter name. They are read at the start and at each reload; what is in them is never logged. */
import {createPrivateKey, X509Certificate} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {validateHeaderValue} from 'node:http';
import {whyUnreadable} from '@palisade/engine/file-faults';
import type {ExportFileKey, ExportFiles, ExportSettings} from '@palisade/ids/export-settings';

/** What Node would refuse with each request: control characters, and those beyond Latin-1. */
export const isHeaderValue = (value: string): boolean => works(() => validateHeaderValue('x', value));

/** A name, and all behind the colon. Ref: RFC 9110, section 5.6.2. */
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*?)[ \t]*$/;

export const HEADER_VALUE = 'must be one line, without control characters and those beyond Latin-1';

type Check = (text: string) => string | undefined;
const works = (work: () => unknown): boolean => {
  try {
    work();
    return true;
  } catch {
    return false;
  }
};
const CERTIFICATE: Check = text =>
  works(() => new X509Certificate(text))
    ? undefined
    : 'contains no certificate in PEM form (-----BEGIN CERTIFICATE-----)';
const CHECKS: Readonly<Record<ExportFileKey, Check>> = {
  secretFile: () => undefined, // its exporter knows what a key is
  caFile: CERTIFICATE,
  certFile: CERTIFICATE,
  keyFile: text =>
    works(() => createPrivateKey(text))
      ? undefined
      : 'contains no private key without passphrase in PEM form (-----BEGIN PRIVATE KEY-----)',
  headersFile: text => {
    for (const [at, line] of linesOf(text).entries()) {
      const [, name, value = ''] = HEADER_LINE.exec(line) ?? [];
      if (line !== '' && name === undefined) return `line ${at + 1}: must be "Name: value"`;
      if (!isHeaderValue(value)) return `line ${at + 1}: the value ${HEADER_VALUE}`;
    }
    return undefined;
  },
};

const linesOf = (text: string): readonly string[] => text.split(/\r?\n/);

const headersIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    linesOf(text).flatMap(line => {
      const [, name, value = ''] = HEADER_LINE.exec(line) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );

const KEYS = Object.keys(CHECKS) as ExportFileKey[];

/** `faults`: one line each, that begins with the key. */
export const readExportFiles = async (
  settings: ExportSettings,
): Promise<{readonly files: ExportFiles; readonly faults: readonly string[]}> => {
  const faults: string[] = [];
  const texts: {[key in ExportFileKey]?: string} = {};
  for (const key of KEYS) {
    const path = settings[key];
    if (path === undefined) continue;
    try {
      const text = await readFile(path, 'utf8');
      const fault = CHECKS[key](text);
      if (fault === undefined) texts[key] = text;
      else faults.push(`${key} ${path}: ${fault}`);
    } catch (error) {
      faults.push(`${key} ${path}: cannot be read: ${whyUnreadable(error)}`);
    }
  }
  const {secretFile: secret, caFile: ca, certFile: cert, keyFile: key, headersFile = ''} = texts;
  return {files: {secret, ca, cert, key, headers: {...settings.headers, ...headersIn(headersFile)}}, faults};
};
