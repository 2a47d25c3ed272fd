// SPDX-License-Identifier: Apache-2.0
/** Prints the gzipped size of the scripts of the first page, and fails the build when they are too large; at level info, that of each script too. */
import {gzipSync} from 'node:zlib';
import type {Plugin} from 'vite';

type Chunk = {
  readonly fileName: string;
  readonly code: string;
  readonly imports: readonly string[];
  readonly isEntry: boolean;
};

const KIB = 1024;
const inKib = (bytes: number): string => `${(bytes / KIB).toFixed(1)} KiB`;

/** The entry and all it imports at once; lazy pages are not part of it. */
export function firstPageOf(chunks: readonly Chunk[]): Chunk[] {
  const byName = new Map(chunks.map(chunk => [chunk.fileName, chunk]));
  const found = new Set<Chunk>();
  const visit = (chunk: Chunk | undefined): void => {
    if (chunk === undefined || found.has(chunk)) return;
    found.add(chunk);
    for (const name of chunk.imports) visit(byName.get(name));
  };
  for (const chunk of chunks) if (chunk.isEntry) visit(chunk);
  return [...found];
}

export const firstPageBudget = ({gzipBytesMax}: {readonly gzipBytesMax: number}): Plugin => ({
  name: 'first-page-budget',
  apply: 'build',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter(file => file.type === 'chunk');
    const sizes = new Map(chunks.map(({fileName, code}) => [fileName, gzipSync(code).length]));
    const first = firstPageOf(chunks);
    const total = first.reduce((sum, {fileName}) => sum + (sizes.get(fileName) ?? 0), 0);
    for (const {fileName, imports} of chunks)
      this.info(
        `${fileName}: ${inKib(sizes.get(fileName) ?? 0)} gzipped${imports.length === 0 ? '' : ` + ${imports.length} imports`}`,
      );
    process.stdout.write(`scripts of the first page: ${inKib(total)} gzipped of ${inKib(gzipBytesMax)}\n`);
    if (total > gzipBytesMax)
      this.error(
        `the scripts of the first page have ${inKib(total)} gzipped, over ${inKib(gzipBytesMax)}: load pages and charts lazily`,
      );
  },
});
