// SPDX-License-Identifier: Apache-2.0
/** What `palisade store …` prints. */
import type {CheckedFolder, Repaired} from '@palisade/server/offline';
import {bytesText, counted} from '../text/figures.ts';

/** Faults and lost keys that are printed one a line; JSON has all that were listed. */
const LINES_MAX = 50;
const firstLines = (lines: readonly string[], more = 0): readonly string[] => {
  const rest = lines.length - LINES_MAX + more;
  return rest > 0 ? [...lines.slice(0, LINES_MAX), `and ${rest} more`] : lines;
};

const tornText = (commits: number): string =>
  `the last transaction (${counted(commits, 'commit')}) is damaged or torn; the next start removes it`;

export const checkedText = (dir: string, {store, records, faults}: CheckedFolder): string => {
  const {changes, keys, revision, compacted, fileBytes, logBytes, freeBytes, torn} = store;
  const lines = [
    `Data:     ${dir}`,
    `Store:    ${counted(keys, 'key')}, ${counted(changes, 'change')}, revisions ${compacted} to ${revision}`,
    `Size:     ${bytesText(fileBytes)}, ${bytesText(freeBytes)} of it free; log ${bytesText(logBytes)}`,
    `Records:  ${records === undefined ? 'none' : `${records.records} in ${counted(records.files, 'file')}`}`,
    ...(torn === undefined ? [] : [`Log:      ${tornText(torn)}`]),
    `Result:   ${faults.length === 0 ? 'whole' : counted(faults.length + store.more, 'fault')}`,
    ...firstLines(
      faults.map(({where, what, wayOut}) => `  ${where}: ${what}; ${wayOut}`),
      store.more,
    ),
  ];
  return `${lines.join('\n')}\n`;
};

export const shrunkText = (dir: string, {before, after}: {readonly before: number; readonly after: number}): string =>
  `${dir}: ${bytesText(before)} before, ${bytesText(after)} after\n`;

const rangesOf = (ranges: NonNullable<Repaired['content']>['lostRevisions']): readonly string[] =>
  ranges.map(({from, to}) =>
    to === undefined
      ? `the revisions from ${from} on cannot be read`
      : from === to
        ? `revision ${from} cannot be read`
        : `the revisions ${from} to ${to} cannot be read`,
  );

/** What is lost, one fact a line. */
export const lossLines = ({file, log, content}: Repaired): readonly string[] => {
  const lines: string[] = [];
  if (log !== undefined) {
    const where = log.offset === 0 ? 'its header' : `byte ${log.offset}`;
    lines.push(`${file}-wal: damaged at ${where}: ${log.lost} cannot be read`);
  }
  if (content === undefined) return lines;
  const {keys, lostKeys, lostRevisions} = content;
  lines.push(
    `${file}: damaged: ${counted(keys, 'key')} can be kept, ${lostKeys.length} are known to be lost; the history is dropped`,
  );
  lines.push(...firstLines(lostKeys.map(key => `  lost: ${key}`)));
  lines.push(...firstLines(rangesOf(lostRevisions).map(text => `  ${text}`)));
  if (lostRevisions.length > 0)
    lines.push('  objects written there may be missing, older than they were, or back although they were deleted');
  return lines;
};

export const repairedText = (repaired: Repaired): string => {
  const {state, file, commits = 0, log, content} = repaired;
  if (state === 'whole') return `${file}: it and its write-ahead log are intact\n`;
  if (state === 'torn') return `${file}-wal: ${tornText(commits)}\n`;
  const lines: string[] = [];
  if (log !== undefined) {
    lines.push(`discarded ${log.lost}`);
    if (log.copy !== undefined) lines.push(`kept the damaged log as ${log.copy}`);
  }
  if (content === undefined) lines.push(`next revision: ${(log?.revision ?? 0) + 1}`);
  else {
    const {keys, lostKeys, lostRevisions} = content;
    lines.push(`kept ${counted(keys, 'key')}, ${lostKeys.length} are known to be lost; the history is dropped`);
    lines.push(...firstLines(lostKeys.map(key => `lost: ${key}`)), ...firstLines(rangesOf(lostRevisions)));
    if ('copy' in content)
      lines.push(`kept the damaged file as ${content.copy}`, `next revision: ${content.revision + 1}`);
  }
  return `${lines.join('\n')}\n`;
};
