// SPDX-License-Identifier: Apache-2.0
/** `palisade serve --print-config`: every value and its origin, as a configuration file with comments, or as JSON. */
import {isDeepStrictEqual} from 'node:util';
import {stringify} from 'yaml';
import {FILE_KEYS} from './file-keys.ts';
import {HIDDEN, withoutSecrets} from './hidden-url.ts';
import {DEFAULT_ORIGIN, type Origin, type Settled} from './settle.ts';
import {type Shape, withUnit} from './shape.ts';

type Row = {readonly path: string; readonly value: unknown; readonly origin: Origin};

/** `defaults`: values of those that nobody gives, by path; `XDG_STATE_HOME` may give that of `data`. */
export type Defaults = Readonly<Record<string, {readonly value: unknown; readonly origin?: Origin | undefined}>>;

const rowsOf = ({values, origins}: Settled, defaults: Defaults): Row[] =>
  [...values].map(([path, given]) => {
    const origin = origins.get(path) ?? DEFAULT_ORIGIN;
    const isEmpty = given === undefined || (Array.isArray(given) && given.length === 0);
    const fallback = origin === DEFAULT_ORIGIN && isEmpty ? defaults[path] : undefined;
    return fallback === undefined
      ? {path, value: given, origin}
      : {path, value: fallback.value, origin: fallback.origin ?? origin};
  });

const fieldShape = (path: string): Shape | undefined => {
  const [key = '', field] = path.split('.');
  const shape = FILE_KEYS[key]?.shape;
  return field !== undefined && shape?.kind === 'object' ? shape.fields[field] : shape;
};

/**
 * Not printed: user and password of a URL, values of HTTP headers, and what may be a secret in the URL of a receiver. `path` is the key
 * of the file.
 */
const withoutCredentials = (value: unknown, path: string): unknown => {
  if (typeof value === 'string') {
    const isReceiver = path === 'export' || path === 'exporters.url';
    const text = isReceiver ? withoutSecrets(value, path === 'export') : value;
    return text.replace(/^(https?:\/\/)[^/?#]*@/i, `$1${HIDDEN}@`);
  }
  if (Array.isArray(value)) return value.map(each => withoutCredentials(each, path));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === 'headers' ? hidden(each) : withoutCredentials(each, `${path}.${name}`),
    ]),
  );
};

const hidden = (headers: unknown): unknown =>
  Object.fromEntries(Object.keys(headers as object).map(name => [name, HIDDEN]));

/** Beside the origin: this value is not the one that is used. */
const noteOf = (row: Row): string =>
  isDeepStrictEqual(withoutCredentials(row.value, row.path), row.value)
    ? ''
    : `; ${HIDDEN} is hidden: put the value back before you use this file`;

/** As a file has it: sizes and times with their unit. */
const written = ({path, value}: Row): unknown => {
  const kind = fieldShape(path)?.kind;
  return (kind === 'size' || kind === 'duration') && typeof value === 'number'
    ? withUnit(kind, value)
    : withoutCredentials(value, path);
};

const isFlat = (value: unknown): boolean =>
  !Array.isArray(value) || value.every(item => typeof item !== 'object' || item === null);

const yamlLines = (name: string, value: unknown, origin: Origin): string[] => {
  if (value === undefined) return [`# ${name}:  # not set, ${origin}`];
  const flow = Array.isArray(value) && isFlat(value);
  const text = stringify(
    {[name]: value},
    {lineWidth: 0, collectionStyle: flow ? 'flow' : 'any', flowCollectionPadding: false},
  );
  const [first = '', ...others] = (flow ? text.trim().slice(1, -1) : text.trimEnd()).split('\n');
  return [`${first}  # ${origin}`, ...others];
};

/** Names within a mapping have origins of their own. */
const mapLines = (name: string, entries: readonly (readonly [string, unknown, Origin])[]): string[] =>
  entries.length === 0
    ? [`${name}: {}  # ${DEFAULT_ORIGIN}`]
    : [
        `${name}:`,
        ...entries.flatMap(([field, value, origin]) => yamlLines(field, value, origin).map(line => `  ${line}`)),
      ];

const variables = ({path, value}: Row, origins: Settled['origins']): [string, unknown, Origin][] =>
  Object.entries(value as Record<string, unknown>).map(([name, text]) => [
    name,
    text,
    origins.get(`${path}.${name}`) ?? DEFAULT_ORIGIN,
  ]);

export const configAsYaml = (settled: Settled, defaults: Defaults): string => {
  const lines: string[] = [];
  const fields = Map.groupBy(rowsOf(settled, defaults), ({path}) => path.split('.')[0] ?? '');
  for (const [key, rows] of fields) {
    const [row] = rows;
    if (row === undefined) continue;
    if (row.path !== key) {
      const entries = rows.map(each => [each.path.slice(key.length + 1), written(each), each.origin] as const);
      lines.push(...mapLines(key, entries));
    } else if (FILE_KEYS[key]?.shape.kind === 'map') lines.push(...mapLines(key, variables(row, settled.origins)));
    else lines.push(...yamlLines(key, written(row), `${row.origin}${noteOf(row)}`));
  }
  return `${lines.join('\n')}\n`;
};

/** By path: `value` is null where nobody gives one and there is no default. */
export const configAsJson = (settled: Settled, defaults: Defaults): string => {
  const shown = rowsOf(settled, defaults).flatMap((row): [string, {value: unknown; origin: Origin}][] => {
    if (FILE_KEYS[row.path]?.shape.kind !== 'map')
      return [[row.path, {value: written(row) ?? null, origin: row.origin}]];
    return variables(row, settled.origins).map(([name, value, origin]) => [`${row.path}.${name}`, {value, origin}]);
  });
  return `${JSON.stringify(Object.fromEntries(shown), null, 2)}\n`;
};
