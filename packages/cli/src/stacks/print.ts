// SPDX-License-Identifier: Apache-2.0
import type {CliIo} from '../command-line/io.ts';

/** Data. */
export const print = ({stdout}: Pick<CliIo, 'stdout'>, text: string): void => {
  stdout.write(text.endsWith('\n') ? text : `${text}\n`);
};

export const printJson = (io: Pick<CliIo, 'stdout'>, value: unknown, indent = 2): void =>
  print(io, JSON.stringify(value, undefined, indent));
