// SPDX-License-Identifier: Apache-2.0
/** What the three commands print. */
import type {ArchiveSummary} from '@palisade/server/backup';
import {UsageError} from '../command-line/io.ts';
import {bytesText, counted} from '../text/figures.ts';

/** The one word of each command. Throws UsageError. */
export const fileWord = ([file, ...more]: readonly string[], command: string): string => {
  if (file === undefined || file === '' || more.length > 0)
    throw new UsageError(`give one file: palisade ${command} FILE`);
  return file;
};

/** What is in the archive, as JSON. */
export const summaryJson = ({manifest, bytes, members, pkiFiles, recordFiles, recordBytes}: ArchiveSummary) => ({
  ...manifest,
  ...{bytes, members, pkiFiles, recordFiles, recordBytes},
});

export const summaryText = (summary: ArchiveSummary): string => {
  const {manifest, bytes, pkiFiles, recordFiles, recordBytes} = summary;
  const {createdAt, program, serverUid, revision, objects, objectBytes, records} = manifest;
  return [
    `Created:   ${createdAt} by palisade ${program}`,
    `Server:    ${serverUid === '' ? 'unknown' : serverUid}`,
    `Objects:   ${objects} at revision ${revision} (${bytesText(objectBytes)})`,
    `pki:       ${counted(pkiFiles, 'file')}`,
    `Records:   ${records ? `${counted(recordFiles, 'file')} (${bytesText(recordBytes)})` : 'none'}`,
    `File size: ${bytesText(bytes)}`,
    '',
  ].join('\n');
};
