// SPDX-License-Identifier: Apache-2.0
/** Where a rule is, without the paths of the server: the API names files by their absolute path. */
import type {RuleMessage} from '@palisade/ids-wire';
import {isWebAddress} from './rules-search.ts';

/** `web.rules in /srv/feed.tar.gz`: a file of an archive. */
const IN_ARCHIVE = /^(.+) in (.+)$/s;
const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** `web.rules`. */
export const fileName = (file: string): string => baseName(IN_ARCHIVE.exec(file)?.[1] ?? file);

/** The file in its source: `web.rules`, `http/web.rules in rules`, `web.rules in feed.tar.gz`. `sources`: of its rule set. */
export function fileText(file: string, sources: readonly string[]): string {
  if (isWebAddress(file)) return file;
  const [, path, archive] = IN_ARCHIVE.exec(file) ?? [];
  if (path !== undefined && archive !== undefined)
    return `${path} in ${isWebAddress(archive) ? archive : baseName(archive)}`;
  const folder = sources.map(source => source.replace(/\/+$/, '')).find(source => file.startsWith(`${source}/`));
  return folder === undefined ? baseName(file) : `${file.slice(folder.length + 1)} in ${baseName(folder)}`;
}

/** FNV-1a, 32 bits. Ref: draft-eastlake-fnv. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(36);
}

/** A name without a rule id is shared: file and line make it one rule. It is in the address of the page, so the path is not in it. */
export const rowKey = ({name, file, line}: Pick<RuleMessage, 'name' | 'file' | 'line'>): string =>
  `${name}@${hashOf(file)}:${line}`;
