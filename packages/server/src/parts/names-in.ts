// SPDX-License-Identifier: Apache-2.0

/** Names of a list flag, which takes words and commas. */
export const namesIn = (words: readonly string[]): string[] => words.flatMap(w => w.split(',')).filter(w => w !== '');
