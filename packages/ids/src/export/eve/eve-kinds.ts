// SPDX-License-Identifier: Apache-2.0
/** eve: what its URL may say. */
import {posix} from 'node:path';
import type {ExporterKind} from '../exporter-kind.ts';
import {bytesIn, KEEP_DEFAULT, MAX_BYTES_DEFAULT, MODE_DEFAULT, pathOf} from './eve-url.ts';

const BYTES_LEAST = 2 ** 20;
const FILES_MOST = 1_000;
/** The owner reads and writes, and nobody executes. */
const MODE = /^0?6[0246][0246]$/;
const FORM = 'eve:/FOLDER/FILE';

const checkUrl = (url: URL): string | undefined => {
  const path = pathOf(url);
  if (url.host !== '' || path === undefined || path.includes('\0')) return `has no path; write ${FORM}`;
  if (!path.startsWith('/')) return `must have an absolute path; write ${FORM}`;
  if (path !== posix.normalize(path) || path.endsWith('/'))
    return `must name a file, without "//" and ".."; write ${FORM}`;
  return url.hash === '' ? undefined : 'must have no fragment; write # as %23';
};

export const EVE_KINDS: Readonly<Record<string, ExporterKind>> = {
  eve: {
    form: FORM,
    check: checkUrl,
    options: {
      maxBytes: {
        check: text => ((bytesIn(text) ?? 0) >= BYTES_LEAST ? undefined : 'a size from 1MiB, such as 500MiB'),
        doc: `rotate the file before it grows above this size (default ${MAX_BYTES_DEFAULT})`,
      },
      keep: {
        check: text =>
          /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= FILES_MOST
            ? undefined
            : `a number from 1 to ${FILES_MOST}`,
        doc: `number of rotated files that are kept (default ${KEEP_DEFAULT})`,
      },
      mode: {
        check: text => (MODE.test(text) ? undefined : 'an octal mode from 0600 to 0666, such as 0640'),
        doc: `mode of a new file (default ${MODE_DEFAULT})`,
      },
    },
    files: [],
    takesHeaders: false,
    keepsQuery: false,
    defaultFormat: undefined,
    open: async options => {
      const {checkEveFile, openEveFile} = await import('./eve-file.ts');
      await checkEveFile(options);
      return openEveFile(options);
    },
  },
};
