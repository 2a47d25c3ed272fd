// SPDX-License-Identifier: Apache-2.0
/** No line that a reader may copy fetches and runs a package of somebody else: ours are on no registry, so their names are free there. */
import {existsSync, readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {tracked} from './source-files.ts';

const SELF = 'test/tidy/foreign-packages.test.ts';
const texts = tracked
  .filter(path => path !== SELF && existsSync(path))
  .filter(path => !/\.(pcap|pcapng|png|tgz|bin)$|^schemas\/|(^|\/)package-lock\.json$/.test(path));

/** Commands that run a package by its name: outside the repository, whichever the registry has under that name. */
const RUNNERS =
  /\bnpx\b|\bnpm (exec|x|create|init)\b|\b(pnpm|yarn) (dlx|create)\b|\bbunx\b|\bpipx\b|\buvx\b|\buv tool\b/;
/** Commands that install packages, with the words after them up to the end of the line or of the code. */
const INSTALLS = /\b(?:npm|pnpm|yarn|bun|pip3?|uv)(?: pip)? (?:install|i|add)((?: +[^\s`'";&|,]+)*)/g;
/** What these lines may name: packages of others that are meant. */
const MEANT = new Set(['typescript', '@types/node']);

const isPath = (word: string): boolean => /^(\/|\.|~|\$|-)/.test(word) || /\.(tgz|whl|txt)$/.test(word);
const packageName = (word: string): string => word.replace(/(?<=.)@.*$|[=<>~].*$/, '');

/** What is wrong with a line. */
function faultOf(line: string): string | undefined {
  const runner = RUNNERS.exec(line)?.[0];
  if (runner !== undefined) return `runs a package by its name: ${runner}`;
  const named = [...line.matchAll(INSTALLS)].flatMap(([, words = '']) => words.trim().split(/ +/));
  const foreign = named.filter(word => word !== '' && !isPath(word) && !MEANT.has(packageName(word)));
  return foreign.length === 0 ? undefined : `installs ${foreign.join(', ')}`;
}

const isCode = (line: string, path: string): boolean => !path.endsWith('.md') || /^( {4}|\t|[^`]*`)/.test(line);

test('F-24 no text of the repository runs or installs a package that is not meant', () => {
  expect(texts).toEqual(expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'Makefile', 'tools/demo-hints.ts']));
  const faults = texts.flatMap(path =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, i) => {
        const fault = isCode(line, path) || RUNNERS.test(line) ? faultOf(line) : undefined;
        return fault === undefined ? [] : [`${path}:${i + 1}: ${fault}`];
      }),
  );
  expect(faults).toEqual([]);
});

describe('what counts as a fault', () => {
  test.each([
    ['npx palisade threats', 'runs a package by its name: npx'],
    ['PALISADE_SERVER=x npx palisade threats', 'runs a package by its name: npx'],
    ['npx biome check .', 'runs a package by its name: npx'],
    ['npm exec palisade -- up', 'runs a package by its name: npm exec'],
    ['pnpm dlx palisade', 'runs a package by its name: pnpm dlx'],
    ['yarn dlx palisade', 'runs a package by its name: yarn dlx'],
    ['bunx palisade', 'runs a package by its name: bunx'],
    ['npm install -g palisade', 'installs palisade'],
    ['npm i @palisade/platform@1 typescript@5.9', 'installs @palisade/platform@1'],
    ['pip install palisade_platform pulumi', 'installs palisade_platform, pulumi'],
    ['uv pip install palisade-platform', 'installs palisade-platform'],
  ])('F-24 %s', (line, fault) => expect(faultOf(line)).toBe(fault));

  test.each([
    'node_modules/.bin/palisade threats',
    'npm ci --no-progress',
    'npm install typescript@5.9 @types/node@24 /PATH/OF/palisade/build/sdk/packs/*.tgz',
    'pip install -r requirements.txt',
  ])('F-24 not %s', line => expect(faultOf(line)).toBeUndefined());
});
