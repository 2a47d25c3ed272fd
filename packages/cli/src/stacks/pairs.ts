// SPDX-License-Identifier: Apache-2.0
import {UsageError} from '../command-line/io.ts';

/** Values of a list flag, each KEY=VALUE. Throws UsageError. */
export const pairsOf = (flag: string, values: readonly string[]): (readonly [key: string, text: string])[] =>
  values.map(pair => {
    const at = pair.indexOf('=');
    if (at <= 0) throw new UsageError(`--${flag} ${pair}: must be KEY=VALUE`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
