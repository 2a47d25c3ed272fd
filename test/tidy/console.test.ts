// SPDX-License-Identifier: Apache-2.0
/** Rules of packages/console that its Content-Security-Policy and its users rely on. */
import {expect, test} from 'vitest';
import {faultsOf, production, read, tracked} from './source-files.ts';

const sources = production.filter(path => path.startsWith('packages/console/'));
const finds = (pattern: RegExp, files = sources): string[] =>
  faultsOf(files, path => [...read(path).matchAll(pattern)].map(match => match[0]));

test('49-5 text stays text: no HTML is made of strings', () => {
  expect(sources.length).toBeGreaterThan(30);
  const html =
    /dangerouslySetInnerHTML|\b(inner|outer)HTML\b|insertAdjacentHTML|document\.write|createContextualFragment|srcDoc|\beval\(|new Function\(/g;
  expect(finds(html)).toEqual([]);
});

test('49-2 no inline style element or script, which the Content-Security-Policy refuses', () => {
  expect(finds(/<style\b|<script\b/g)).toEqual([]);
  const page = read('packages/console/index.html');
  expect(page).not.toMatch(/<style\b|\sstyle=|<script(?![^>]*\bsrc=)|\son\w+=/);
  expect(page).toContain('<meta name="csp-nonce" content="__CSP_NONCE__" />');
});

test('49-1 nothing is loaded from another host', () => {
  const files = tracked.filter(
    path => /^packages\/console\/(src|public|index)/.test(path) && !/\.test\.tsx?$/.test(path),
  );
  // The namespace of SVG is a name, not an address.
  expect(
    finds(/(?:https?:)?\/\/[\w-]+\.[\w.-]+[^\s'"`]*/g, files).filter(fault => !fault.includes('//www.w3.org/2000/svg')),
  ).toEqual([]);
});

test('49-4 colours are written in the tokens alone', () => {
  const styles = tracked.filter(
    path => /^packages\/console\/src\/.*\.css$/.test(path) && !path.endsWith('/tokens.css'),
  );
  expect(styles.length).toBeGreaterThan(0);
  expect(finds(/#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/gi, styles)).toEqual([]);
});

test('49-1 requests go through the clients: no fetch, XMLHttpRequest or WebSocket of its own', () => {
  expect(finds(/(?<![.\w])fetch\(|\bXMLHttpRequest\b|new (?:WebSocket|EventSource)\(/g)).toEqual([]);
});

test('49-1 the guide names buttons, tabs and headings that the console has', () => {
  const texts = sources.map(read).join('\n');
  const guide = read('docs/guides/console.md');
  const named = [...guide.matchAll(/"([A-Z\d][^"\n]+)"|\*{1,2}([A-Z][^*\n]+?)\*{1,2}/g)].map(
    ([, quoted, marked]) => quoted ?? marked ?? '',
  );
  expect(named.length).toBeGreaterThan(25);
  // A figure in a text is an expression in the source.
  expect(named.filter(name => !name.split(/\d{2,}/).every(part => texts.includes(part)))).toEqual([]);
});
