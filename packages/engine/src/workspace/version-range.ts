// SPDX-License-Identifier: Apache-2.0
/**
 * Ranges of versions of the Pulumi CLI that a project or a program requires: comparators (`>=3.5.0`, `!3.1.2`, `3.x`) that must all hold, alternatives between `||`.
 * Ref: github.com/blang/semver ParseRange.
 */
import {FORMAT_VERSION} from '../state/deployment-file.ts';

const COMPARATOR = /^(>=|<=|==|!=|>|<|=|!)?v?(\d+)(?:\.(\d+|x))?(?:\.(\d+|x))?(-[\w.-]+)?(?:\+[\w.-]+)?$/;

type Parts = readonly number[];

/** Why this engine is not what the range requires, and the way out; undefined when it is. */
export function versionFault(range: string): string | undefined {
  const isIn = isInRange(FORMAT_VERSION, range);
  if (isIn === true) return undefined;
  return isIn === undefined
    ? `"${range}" is not a range of versions: write it like ">=3.5.0 !3.7.7 || <3.2.0"`
    : `${range}: the embedded engine follows ${FORMAT_VERSION}: widen the range, or use the Pulumi CLI`;
}

/** Whether `version` (`v3.260.0`) is in the range; undefined when the text is not a range. */
export function isInRange(version: string, range: string): boolean | undefined {
  const own = version.replace(/^v/, '').split('.').map(Number);
  let isIn = false;
  for (const alternative of range.split('||')) {
    const words = alternative
      .replace(/([<>=!])\s+/g, '$1') // `>= 3.0.0`
      .split(/\s+/)
      .filter(word => word !== '');
    const results = words.map(word => holds(own, word));
    if (words.length === 0 || results.includes(undefined)) return undefined;
    isIn ||= !results.includes(false);
  }
  return isIn;
}

/** A part that is left out or `x` matches any number there. */
function holds(own: Parts, word: string): boolean | undefined {
  const match = COMPARATOR.exec(word);
  if (match === null) return undefined;
  const [, operator = '=', major, minor, patch, preRelease] = match;
  const wanted = [major, minor, patch].filter(text => text !== undefined && text !== 'x').map(Number);
  // A pre-release comes before its release, which this engine is.
  const order = compare(own.slice(0, wanted.length), wanted) || (preRelease === undefined ? 0 : 1);
  switch (operator) {
    case '>=':
      return order >= 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '<':
      return order < 0;
    case '!':
    case '!=':
      return order !== 0;
    default:
      return order === 0;
  }
}

function compare(a: Parts, b: Parts): number {
  const at = b.findIndex((part, i) => part !== a[i]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
