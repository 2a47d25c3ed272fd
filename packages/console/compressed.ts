// SPDX-License-Identifier: Apache-2.0
/** Writes `FILE.gz` and `FILE.br` beside each text file of the build: the server sends these and never compresses. */
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {brotliCompressSync, gzipSync} from 'node:zlib';
import type {Plugin} from 'vite';

const TEXT = /\.(js|css|svg)$/;
/** Smaller files fit into one packet anyway. */
const BYTES_MIN = 1024;

export const compressed = (folder: string): Plugin => ({
  name: 'compressed',
  apply: 'build',
  closeBundle() {
    const paths = readdirSync(folder, {recursive: true, encoding: 'utf8'}).filter(path => TEXT.test(path));
    for (const path of paths.map(name => join(folder, name))) {
      const bytes = readFileSync(path);
      if (bytes.length < BYTES_MIN) continue;
      writeFileSync(`${path}.gz`, gzipSync(bytes, {level: 9}));
      writeFileSync(`${path}.br`, brotliCompressSync(bytes));
    }
  },
});
