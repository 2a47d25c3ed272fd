// SPDX-License-Identifier: Apache-2.0
/** Directives, anchors, aliases and tags. Ref: go.yaml.in/yaml/v2 v2.4.3 scannerc.go. */
import {scannerFault} from './fault.ts';
import {isBlank, isBlankOrEnd, isBreakOrEnd, isDigit, isWord, type YamlSource} from './source.ts';

const VERSION_DIGITS_MAX = 2;

export type Directive =
  | {readonly name: 'YAML'; readonly version: string}
  | {readonly name: 'TAG'; readonly handle: string; readonly prefix: string};

/** The reader is at the `%`. */
export function scanDirective(source: YamlSource): Directive {
  source.skip();
  const name = source.readWhile(isWord);
  if (name === '') throw scannerFault(source.line, 'could not find expected directive name');
  if (!isBlankOrEnd(source.code())) throw scannerFault(source.line, 'found unexpected non-alphabetical character');
  const directive = directiveValue(source, name);
  source.skipBlanks();
  source.skipComment();
  if (!isBreakOrEnd(source.code())) throw scannerFault(source.line, 'did not find expected comment or line break');
  source.readBreak();
  return directive;
}

function directiveValue(source: YamlSource, name: string): Directive {
  if (name !== 'YAML' && name !== 'TAG') throw scannerFault(source.line, 'found unknown directive name');
  source.skipBlanks();
  if (name === 'YAML') {
    const major = versionNumber(source);
    if (!source.is('.')) throw scannerFault(source.line, "did not find expected digit or '.' character");
    source.skip();
    return {name, version: `${major}.${versionNumber(source)}`};
  }
  const handle = tagHandle(source, true);
  if (!isBlank(source.code())) throw scannerFault(source.line, 'did not find expected whitespace');
  source.skipBlanks();
  const prefix = tagUri(source, '');
  if (!isBlankOrEnd(source.code())) throw scannerFault(source.line, 'did not find expected whitespace or line break');
  return {name, handle, prefix};
}

function versionNumber(source: YamlSource): number {
  let digits = '';
  while (isDigit(source.code())) {
    if (digits.length === VERSION_DIGITS_MAX) throw scannerFault(source.line, 'found extremely long version number');
    digits += source.read();
  }
  if (digits === '') throw scannerFault(source.line, 'did not find expected version number');
  return Number(digits);
}

/** The name of an anchor or alias; the reader is at its sign. */
export function scanAnchor(source: YamlSource): string {
  source.skip();
  const name = source.readWhile(isWord);
  if (name === '' || !(isBlankOrEnd(source.code()) || '?:,]}%@`'.includes(String.fromCharCode(source.code())))) {
    throw scannerFault(source.line, 'did not find expected alphabetic or numeric character');
  }
  return name;
}

/** An empty handle: the suffix is the whole tag. */
export type Tag = {readonly handle: string; readonly suffix: string};

/** The reader is at the `!`. */
export function scanTag(source: YamlSource): Tag {
  const tag = source.is('<', 1) ? verbatimTag(source) : shortTag(source);
  if (!isBlankOrEnd(source.code())) throw scannerFault(source.line, 'did not find expected whitespace or line break');
  return tag;
}

function verbatimTag(source: YamlSource): Tag {
  source.skip(2);
  const suffix = tagUri(source, '');
  if (!source.is('>')) throw scannerFault(source.line, "did not find the expected '>'");
  source.skip();
  return {handle: '', suffix};
}

function shortTag(source: YamlSource): Tag {
  const handle = tagHandle(source, false);
  if (handle.length > 1 && handle.endsWith('!')) return {handle, suffix: tagUri(source, '')};
  const suffix = tagUri(source, handle);
  return suffix === '' ? {handle: '', suffix: handle} : {handle: '!', suffix};
}

function tagHandle(source: YamlSource, isDirective: boolean): string {
  if (!source.is('!')) throw scannerFault(source.line, "did not find expected '!'");
  const handle = source.read() + source.readWhile(isWord);
  if (source.is('!')) return handle + source.read();
  if (isDirective && handle !== '!') throw scannerFault(source.line, "did not find expected '!'");
  return handle;
}

/** `head` was read already; its first character does not count. */
function tagUri(source: YamlSource, head: string): string {
  const bytes: number[] = [...Buffer.from(head.slice(1))];
  let isEmpty = head === '';
  while (isWord(source.code()) || ";/?:@&=+$,.!~*'()[]%".includes(String.fromCharCode(source.code()))) {
    if (source.is('%')) bytes.push(...uriEscapes(source));
    else bytes.push(...Buffer.from(source.read()));
    isEmpty = false;
  }
  if (isEmpty) throw scannerFault(source.line, 'did not find expected tag URI');
  return Buffer.from(bytes).toString();
}

/** The octets of one character. */
function uriEscapes(source: YamlSource): number[] {
  const octets: number[] = [];
  let width = 1;
  while (octets.length < width) {
    const digits = String.fromCharCode(source.code(1), source.code(2));
    if (!source.is('%') || !/^[0-9a-fA-F]{2}$/.test(digits)) {
      throw scannerFault(source.line, 'did not find URI escaped octet');
    }
    const octet = Number.parseInt(digits, 16);
    if (octets.length === 0) {
      width =
        octet < 0x80 ? 1 : (octet & 0xe0) === 0xc0 ? 2 : (octet & 0xf0) === 0xe0 ? 3 : (octet & 0xf8) === 0xf0 ? 4 : 0;
      if (width === 0) throw scannerFault(source.line, 'found an incorrect leading UTF-8 octet');
    } else if ((octet & 0xc0) !== 0x80) {
      throw scannerFault(source.line, 'found an incorrect trailing UTF-8 octet');
    }
    octets.push(octet);
    source.skip(3);
  }
  return octets;
}
