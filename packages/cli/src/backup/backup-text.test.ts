// SPDX-License-Identifier: Apache-2.0
import type {ArchiveSummary} from '@palisade/server/backup';
import {expect, test} from 'vitest';
import {summaryText} from './backup-text.ts';

const MANIFEST = {createdAt: '2026-11-28T10:00:00Z', program: '1', serverUid: 'u', revision: 7, objectBytes: 10};
const textOf = (files: number): string =>
  summaryText({
    ...{bytes: 100, members: 9, pkiFiles: files, recordFiles: files, recordBytes: 20},
    manifest: {...MANIFEST, objects: 2, records: true},
  } as unknown as ArchiveSummary);

test('48-3 the summary of a backup speaks of one file or of several', () => {
  expect(textOf(1)).toMatch(/^pki: +1 file$/m);
  expect(textOf(1)).toMatch(/^Records: +1 file \(/m);
  expect(textOf(2)).toMatch(/^pki: +2 files$/m);
  expect(textOf(2)).toMatch(/^Records: +2 files \(/m);
});
