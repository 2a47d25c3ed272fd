// SPDX-License-Identifier: Apache-2.0
/**
 * --export URL and the entries of `exporters` → settings of exporters, with every fault at once. The parameters of a URL of --export are
 * settings, so that the flag is enough; those of an entry's URL are options of its scheme or belong to the URL, its settings are keys.
 * A fault shows no more of a URL than its receiver: the rest may be secret.
 */
import {isAbsolute, resolve} from 'node:path';
import {nearest} from '@palisade/engine/nearest';
import {
  EXPORTERS,
  type ExporterKind,
  type ExportFileKey,
  type ExportSettings,
  filterFault,
  pathOf,
  type RecordKind,
  SHAPES,
} from '@palisade/ids/export-settings';

import {HEADER_VALUE, isHeaderValue} from './export-files.ts';

/** An entry of `exporters`: paths are absolute. */
export type ExportEntry = {
  readonly url: string;
  readonly name?: string | undefined;
  readonly format?: string | undefined;
  readonly kinds: readonly string[];
  readonly filter?: string | undefined;
  readonly endpoints: readonly string[];
  readonly updates?: boolean | undefined;
  readonly from?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
} & {readonly [key in ExportFileKey]?: string | undefined};

/** `said`: how messages name it: `--export RECEIVER` or `exporters[0]`. */
export type ConfiguredExport = {readonly settings: ExportSettings; readonly said: string};

export const EXPORT_KINDS = ['threats', 'traffic'] as const satisfies readonly RecordKind[];
export const EXPORT_STARTS = ['now', 'start'] as const;
const FILE_KEYS = [
  'secretFile',
  'caFile',
  'certFile',
  'keyFile',
  'headersFile',
] as const satisfies readonly ExportFileKey[];
/** Settings that a URL of --export may have; lists with commas. */
const IN_URL: readonly string[] = ['name', 'format', 'kinds', 'filter', 'endpoints', 'updates', 'from', ...FILE_KEYS];

/** Parameters of a URL that are settings or options; others belong to the URL, and may be secret. */
export const parametersOf = (scheme: string, isFlag: boolean): readonly string[] => [
  ...Object.keys(EXPORTERS[scheme]?.options ?? {}),
  ...(isFlag ? IN_URL : []),
];

const NAME_FORM = 'letters, digits and . _ : / + -, at most 200';
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:/+[\]-]{0,199}$/;
const ENDPOINT = /^projects\/[^/\s]+\/locations\/[^/\s]+\/endpoints\/[^/\s]+$/;
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FORMS = Object.values(EXPORTERS).map(({form}) => form);

/** `field`: '' for the exporter as a whole. */
type Report = (field: string, value: string, why: string) => void;
type Given = Omit<ExportEntry, 'url' | 'updates'> & {readonly updates?: boolean | string | undefined};

const hostOf = (url: URL): string =>
  url.host === '' ? `${url.protocol}${url.pathname}` : `${url.protocol}//${url.host}`;
/** Path and query of a webhook are often a secret. */
const receiverOf = (url: URL): string => {
  const hasMore = url.host !== '' && ((url.pathname !== '' && url.pathname !== '/') || url.search !== '');
  return `${hostOf(url)}${hasMore ? '/…' : ''}`;
};
const schemeOf = (url: URL): string => url.protocol.slice(0, -1);

const parsedUrl = (text: string, report: Report): {readonly url: URL; readonly kind: ExporterKind} | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const kind = url === undefined ? undefined : EXPORTERS[schemeOf(url)];
  if (url === undefined || kind === undefined) {
    const [scheme = ''] = /^[a-z][a-z0-9+.-]*:/i.exec(text) ?? [];
    report('url', scheme === '' ? '' : `${scheme}…`, `must be one of ${FORMS.join(', ')}`);
    return undefined;
  }
  const why = url.port === '0' ? 'must have a port from 1 to 65535' : kind.check(url);
  if (why !== undefined) report('url', receiverOf(url), why);
  return {url, kind};
};

/** The settings and options among the parameters of a URL; they leave it. */
const takeParameters = (url: URL, kind: ExporterKind, isFlag: boolean, report: Report) => {
  const found: Record<string, string> = {};
  const options: Record<string, string> = {};
  for (const [key, value] of [...url.searchParams]) {
    const into = Object.hasOwn(kind.options, key) ? options : isFlag && IN_URL.includes(key) ? found : undefined;
    if (into === undefined) {
      const known = parametersOf(schemeOf(url), isFlag);
      const near = nearest(key, known);
      if (kind.keepsQuery && !(isFlag && near !== undefined)) continue; // the receiver's own
      if (kind.keepsQuery) {
        report(
          key,
          '',
          `did you mean "${near}"? To send it to the receiver, name the exporter in the configuration file`,
        );
        continue;
      }
      report(
        key,
        '',
        `unknown parameter; ${near === undefined ? `known are ${known.join(', ')}` : `did you mean "${near}"?`}`,
      );
    } else if (Object.hasOwn(into, key)) report(key, value, 'is given twice; give it once');
    else into[key] = value;
    url.searchParams.delete(key);
  }
  for (const [key, value] of Object.entries(options)) {
    const form = kind.options[key]?.check(value);
    if (form !== undefined) report(key, value, `must be ${form}`);
  }
  return {found, options};
};

const oneOf = <T extends string>(
  field: string,
  text: string | undefined,
  words: readonly T[],
  fallback: T,
  report: Report,
): T => {
  const word = words.find(each => each === text);
  if (text !== undefined && word === undefined) report(field, text, `must be one of ${words.join(', ')}`);
  return word ?? fallback;
};

const kindsOf = (given: readonly string[], report: Report): readonly RecordKind[] => {
  for (const word of given)
    if (!(EXPORT_KINDS as readonly string[]).includes(word))
      report('kinds', word, `must be ${EXPORT_KINDS.join(' or ')}`);
  return given.length === 0 ? ['threats'] : EXPORT_KINDS.filter(kind => given.includes(kind));
};

const checkFilter = (filter: string, kinds: readonly RecordKind[], report: Report): void => {
  for (const kind of kinds) {
    const why = filterFault(filter, kind);
    const wayOut = kinds.length > 1 ? '; a filter holds for each of the kinds, so use an exporter for each' : '';
    if (why !== undefined) report('filter', filter, `is no filter for ${kind}: ${why}${wayOut}`);
  }
};

const updatesOf = (given: boolean | string | undefined, report: Report): boolean => {
  if (typeof given === 'boolean' || given === undefined) return given === true;
  if (given !== 'true' && given !== 'false') report('updates', given, 'must be true or false');
  return given === 'true';
};

const checkFiles = (given: Given, kind: ExporterKind, scheme: string, report: Report): void => {
  for (const key of FILE_KEYS)
    if (given[key] !== undefined && !kind.files.includes(key))
      report(key, given[key] ?? '', `${scheme} uses no such file; remove it`);
  if ((given.certFile === undefined) !== (given.keyFile === undefined))
    report(given.certFile === undefined ? 'keyFile' : 'certFile', '', 'certFile and keyFile must be used together');
};

const checkHeaders = (
  headers: Readonly<Record<string, string>>,
  kind: ExporterKind,
  scheme: string,
  report: Report,
): void => {
  if (Object.keys(headers).length > 0 && !kind.takesHeaders)
    report('headers', '', `${scheme} has no headers; remove them`);
  for (const [name, value] of Object.entries(headers))
    if (!HEADER.test(name)) report('headers', name, 'must be names of HTTP headers');
    else if (!isHeaderValue(value)) report(`headers.${name}`, '', HEADER_VALUE);
};

const settingsOf = (
  url: URL,
  kind: ExporterKind,
  options: Readonly<Record<string, string>>,
  given: Given,
  report: Report,
): ExportSettings => {
  const scheme = schemeOf(url);
  const name = given.name ?? hostOf(url);
  if (!NAME.test(name) && given.name === undefined)
    report('url', receiverOf(url), `cannot be its name, which must be ${NAME_FORM}; give it a name`);
  else if (!NAME.test(name)) report('name', name, `must be ${NAME_FORM}`);
  const kinds = kindsOf(given.kinds, report);
  const filter = given.filter ?? '';
  checkFilter(filter, kinds, report);
  for (const endpoint of given.endpoints)
    if (!ENDPOINT.test(endpoint))
      report(
        'endpoints',
        endpoint,
        'must be projects/PROJECT/locations/LOCATION/endpoints/ENDPOINT; "-" and "*" are wildcards',
      );
  checkFiles(given, kind, scheme, report);
  const headers = given.headers ?? {};
  checkHeaders(headers, kind, scheme, report);
  if (kind.defaultFormat === undefined && given.format !== undefined)
    report('format', given.format, `${scheme} has a form of its own; remove it`);
  return {
    name,
    url: url.href,
    receiver: receiverOf(url),
    scheme,
    format: oneOf('format', given.format, SHAPES, kind.defaultFormat ?? 'palisade', report),
    kinds,
    filter,
    endpoints: given.endpoints,
    updates: updatesOf(given.updates, report),
    from: oneOf('from', given.from, EXPORT_STARTS, 'now', report),
    ...Object.fromEntries(FILE_KEYS.flatMap(key => (given[key] === undefined ? [] : [[key, given[key]]]))),
    headers,
    options,
  };
};

const listed = (text: string | undefined): readonly string[] =>
  text === undefined ? [] : text.split(',').filter(word => word !== '');

const ofFlag = (text: string, cwd: string, faults: string[]): ConfiguredExport | undefined => {
  const shown = URL.canParse(text) ? hostOf(new URL(text)) : '';
  const said = `--export${shown === '' ? '' : ` ${shown}`}`;
  const report: Report = (field, value, why) => {
    const what = field === 'url' ? '' : ` ${[field, value].filter(word => word !== '').join(' ')}:`;
    faults.push(`${said}:${what} ${why}`);
  };
  const parsed = parsedUrl(text, report);
  if (parsed === undefined) return undefined;
  const {url, kind} = parsed;
  const {found, options} = takeParameters(url, kind, true, report);
  const paths = FILE_KEYS.flatMap(key => (found[key] === undefined ? [] : [[key, resolve(cwd, found[key])]]));
  const {kinds, endpoints, ...others} = found;
  const given: Given = {...others, ...Object.fromEntries(paths), kinds: listed(kinds), endpoints: listed(endpoints)};
  return {said, settings: settingsOf(url, kind, options, given, report)};
};

const ofEntry = ({url: text, ...given}: ExportEntry, at: number, faults: string[]): ConfiguredExport | undefined => {
  const said = `exporters[${at}]`;
  const report: Report = (field, value, why) =>
    faults.push(`${said}${field === '' ? '' : `.${field}`}${value === '' ? '' : ` ${value}`}: ${why}`);
  const parsed = parsedUrl(text, report);
  if (parsed === undefined) return undefined;
  const {url, kind} = parsed;
  const {options} = takeParameters(url, kind, false, report);
  for (const key of FILE_KEYS)
    if (given[key] !== undefined && !isAbsolute(given[key]))
      report(key, '', 'must be a path of this machine, and no URL');
  return {said, settings: settingsOf(url, kind, options, given, report)};
};

/** `faults`: one line each. */
export const exportConfigOf = (
  flags: readonly string[],
  entries: readonly ExportEntry[],
  cwd: string,
): {readonly exports: readonly ConfiguredExport[]; readonly faults: readonly string[]} => {
  const faults: string[] = [];
  const exports = [
    ...flags.map(text => ofFlag(text, cwd, faults)),
    ...entries.map((entry, at) => ofEntry(entry, at, faults)),
  ].filter(each => each !== undefined);
  const names = exports.map(({settings}) => settings.name);
  for (const [
    at,
    {
      said,
      settings: {name},
    },
  ] of exports.entries())
    if (names.indexOf(name) < at)
      faults.push(`${said}: another exporter has the name ${name}; give one of them a name of its own`);
  return {exports, faults: [...faults, ...fileFaults(exports)]};
};

/** Two exporters would tear the lines of each other, and rotate twice. */
const fileFaults = (exports: readonly ConfiguredExport[]): readonly string[] => {
  const files = Map.groupBy(
    exports.filter(({settings}) => settings.scheme === 'eve'),
    ({settings}) => pathOf(new URL(settings.url)),
  );
  return [...files].flatMap(([path, [first, ...others]]) =>
    others.map(({said}) => `${said}: ${path} is the file of ${first?.said} too; give each a file of its own`),
  );
};
