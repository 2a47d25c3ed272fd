// SPDX-License-Identifier: Apache-2.0
/** Names made from a prefix. Ref: kubernetes v1.36 apiserver/pkg/storage/names/generate.go. */
import type {Random} from '../../base/time.ts';

/** No vowels and no digits that read as letters, so that no words come out. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const NAME_LENGTH_MAX = 63;

/** The prefix, cut to 58 characters, and five random ones. */
export const generateName = (prefix: string, random: Random): string => {
  let suffix = '';
  for (let i = 0; i < SUFFIX_LENGTH; i++) suffix += ALPHABET[Math.floor(random.next() * ALPHABET.length)];
  return prefix.slice(0, NAME_LENGTH_MAX - SUFFIX_LENGTH) + suffix;
};
