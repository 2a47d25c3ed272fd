// SPDX-License-Identifier: Apache-2.0
/**
 * Property paths: `metadata.labels.app`, `subsets[0].ports[1].port`, `metadata.annotations["a/b"]`, `subsets[*].ports`.
 *
 * Grammar: a path is keys and brackets. A key is any run without `.`, `[` and `"`; after the first segment a key follows a dot.
 * Brackets hold an index (`[0]`), a quoted key with `\"` and `\\` (`["a.b"]`) or `*`, which matches every index and every key.
 * `*` alone (or as a segment: `labels.*`) is the same wildcard. Ref: Pulumi resource.PropertyPath.
 */
import {isPropertyList, isPropertyMap, isSecret, type PropertyMap, type PropertyValue, Secret} from './value.ts';

export const WILDCARD: unique symbol = Symbol('*');
export type PathSegment = string | number | typeof WILDCARD;
export type PropertyPath = readonly PathSegment[];

/** A path that cannot be read; `at` is the offset of the fault. */
export class PropertyPathError extends Error {
  override readonly name = 'PropertyPathError';
  constructor(path: string, at: number, detail: string) {
    super(`property path ${JSON.stringify(path)}: ${detail} at ${at}`);
  }
}

/** Keys that are written without quotes; reading takes more. */
const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/** Text in. Throws PropertyPathError. */
export function parsePropertyPath(text: string): PropertyPath {
  const segments: PathSegment[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === '[') {
      const read = readBracket(text, at);
      segments.push(read.segment);
      at = read.end;
      continue;
    }
    if (text[at] === '.') {
      if (at === 0) throw new PropertyPathError(text, at, 'a path does not begin with a dot');
      at += 1;
    } else if (at > 0) {
      throw new PropertyPathError(text, at, 'expected "." or "["');
    }
    if (text[at] === '[') continue;
    const end = endOfKey(text, at);
    if (end === at) throw new PropertyPathError(text, at, 'expected a name');
    const key = text.slice(at, end);
    segments.push(key === '*' ? WILDCARD : key);
    at = end;
  }
  if (segments.length === 0) throw new PropertyPathError(text, 0, 'the path is empty');
  return segments;
}

function endOfKey(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '.' && text[at] !== '[') at += 1;
  return at;
}

function readBracket(text: string, open: number): {segment: PathSegment; end: number} {
  if (text[open + 1] === '"') return readQuoted(text, open);
  const close = text.indexOf(']', open);
  if (close < 0) throw new PropertyPathError(text, open, 'the bracket is not closed');
  const inner = text.slice(open + 1, close);
  if (inner === '*') return {segment: WILDCARD, end: close + 1};
  if (!/^\d+$/.test(inner)) throw new PropertyPathError(text, open + 1, 'expected an index, a quoted key or *');
  const index = Number(inner);
  if (!Number.isSafeInteger(index)) throw new PropertyPathError(text, open + 1, 'the index is too large');
  return {segment: index, end: close + 1};
}

function readQuoted(text: string, open: number): {segment: PathSegment; end: number} {
  let key = '';
  let at = open + 2;
  while (at < text.length && text[at] !== '"') {
    if (text[at] === '\\') at += 1;
    key += text[at] ?? '';
    at += 1;
  }
  if (text[at] !== '"' || text[at + 1] !== ']') throw new PropertyPathError(text, at, 'the quoted key is not closed');
  return {segment: key, end: at + 2};
}

/** The canonical text; parsePropertyPath reads it back to the same path. */
export function formatPropertyPath(path: PropertyPath): string {
  let text = '';
  for (const segment of path) {
    if (segment === WILDCARD) text += '[*]';
    else if (typeof segment === 'number') text += `[${segment}]`;
    else if (PLAIN_KEY.test(segment)) text += text === '' ? segment : `.${segment}`;
    else text += `["${segment.replace(/["\\]/g, '\\$&')}"]`;
  }
  return text;
}

/** True when `pattern` matches the whole of `path` or a beginning of it: `metadata` contains `metadata.labels.app`. */
export function pathContains(pattern: PropertyPath, path: PropertyPath): boolean {
  return pattern.length <= path.length && segmentsMatch(pattern, path);
}

/** True when one is a beginning of the other: a change of either touches the other. */
export function pathsTouch(pattern: PropertyPath, path: PropertyPath): boolean {
  return segmentsMatch(pattern, path);
}

function segmentsMatch(pattern: PropertyPath, path: PropertyPath): boolean {
  const shared = Math.min(pattern.length, path.length);
  for (let i = 0; i < shared; i += 1) {
    const want = pattern[i];
    if (want !== WILDCARD && String(want) !== String(path[i])) return false;
  }
  return true;
}

/** The value at a path without wildcards, looking through secrets; undefined when nothing is there. */
export function getAtPath(root: PropertyValue | undefined, path: PropertyPath): PropertyValue | undefined {
  let value = root;
  for (const segment of path) {
    if (isSecret(value)) value = value.value;
    value = childOf(value, segment);
    if (value === undefined) return undefined;
  }
  return value;
}

function childOf(value: PropertyValue | undefined, segment: PathSegment): PropertyValue | undefined {
  if (isPropertyList(value)) return typeof segment === 'number' ? value[segment] : undefined;
  if (isPropertyMap(value) && segment !== WILDCARD) {
    return Object.hasOwn(value, String(segment)) ? value[String(segment)] : undefined;
  }
  return undefined;
}

/**
 * What `ignoreChanges` asks for: a copy of `target` in which everything at `path` is as in `source` (also absent where it is absent
 * there, and present where only `source` has it). Wildcards walk the members of both sides. A list member that only one side has
 * is left alone, as a hole cannot be made in a list; a path that leads nowhere on both sides changes nothing.
 */
export function copyAtPath(target: PropertyMap, source: PropertyMap, path: PropertyPath): PropertyMap {
  const merged = copyValue(target, source, path);
  return isPropertyMap(merged) ? merged : target;
}

function copyValue(
  target: PropertyValue | undefined,
  source: PropertyValue | undefined,
  path: PropertyPath,
): PropertyValue | undefined {
  const [segment, ...rest] = path;
  if (segment === undefined) return source;
  if (isSecret(target)) {
    const inner = copyValue(target.value, source, path);
    return inner === undefined ? undefined : new Secret(inner);
  }
  const from = isSecret(source) ? source.value : source;
  if (isPropertyList(target)) return copyIntoList(target, from, segment, rest);
  if (isPropertyMap(target)) return copyIntoMap(target, from, segment, rest);
  return target === undefined && isPropertyMap(from) ? copyIntoMissing(from, segment, rest) : target;
}

function copyIntoList(
  target: readonly PropertyValue[],
  source: PropertyValue | undefined,
  segment: PathSegment,
  rest: PropertyPath,
): PropertyValue {
  const old = isPropertyList(source) ? source : [];
  return target.map((member, i) => {
    if ((segment !== WILDCARD && segment !== i) || i >= old.length) return member;
    return copyValue(member, old[i], rest) ?? member;
  });
}

function copyIntoMap(
  target: PropertyMap,
  source: PropertyValue | undefined,
  segment: PathSegment,
  rest: PropertyPath,
): PropertyValue {
  const old: PropertyMap = isPropertyMap(source) ? source : {};
  const keys = segment === WILDCARD ? new Set([...Object.keys(target), ...Object.keys(old)]) : [String(segment)];
  const copy: Record<string, PropertyValue> = {...target};
  for (const key of keys) {
    const value = copyValue(
      Object.hasOwn(target, key) ? target[key] : undefined,
      Object.hasOwn(old, key) ? old[key] : undefined,
      rest,
    );
    if (value === undefined) delete copy[key];
    else copy[key] = value;
  }
  return copy;
}

/** The target has nothing where the source has a map: only the named branch is brought back. */
function copyIntoMissing(source: PropertyMap, segment: PathSegment, rest: PropertyPath): PropertyValue | undefined {
  const copy = copyIntoMap({}, source, segment, rest);
  return isPropertyMap(copy) && Object.keys(copy).length > 0 ? copy : undefined;
}
