// SPDX-License-Identifier: Apache-2.0
/** Mutations that know nothing of the format. Ref: AFL, "havoc" stage. */
import type {Random} from './random.ts';

const NUMBERS = [
  0, 1, 2, 7, 8, 15, 16, 31, 63, 64, 100, 125, 126, 127, 128, 255, 256, 512, 1000, 1024, 4096, 32767, 32768, 65535,
  65536, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x10000000,
];
const DECIMALS = [
  '0',
  '-0',
  '-1',
  '007',
  '1.5',
  '1e309',
  '1e-400',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '18446744073709551616',
  '4294967296',
  '65536',
  '99999999999999999999999999999999999999',
  '0x1f',
  'NaN',
  'Infinity',
];
/** Of Unicode, and of programs that handle text carelessly. */
export const ODD_TEXTS = [
  '\0',
  '\u{feff}',
  '\u2028',
  '\u0085',
  '\u200b',
  '\u202e',
  'é',
  'e\u0301',
  'İ',
  'ſ',
  'K',
  '💥',
  '\u{10ffff}',
  '\r\n',
  '\t',
  ' ',
  '"',
  "'",
  '\\',
  '\\u0000',
  '\\ud800',
  '%00',
  '%',
  '%s%n',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '../',
  '/',
  '$(x)',
  '`',
  '*',
  '-',
  '[',
  '{',
  '(',
];

type Step = (input: Buffer, random: Random, pool: readonly Buffer[]) => Buffer;

const between = (input: Buffer, from: number, to: number, middle: Uint8Array): Buffer =>
  Buffer.concat([input.subarray(0, from), middle, input.subarray(to)]);

const range = (input: Buffer, random: Random): readonly [from: number, to: number] => {
  const from = random.int(input.length + 1);
  const most = random.once(4) ? input.length - from : Math.min(16, input.length - from);
  return [from, from + random.int(most + 1)];
};

const changed = (input: Buffer, change: (copy: Buffer) => void): Buffer => {
  const copy = Buffer.from(input);
  if (copy.length > 0) change(copy);
  return copy;
};

const writeNumber: Step = (input, random) =>
  changed(input, copy => {
    const value = random.pick(NUMBERS);
    const bytes = random.pick([1, 2, 4].filter(width => width <= copy.length));
    const at = random.int(copy.length - bytes + 1);
    const low = bytes === 4 ? value : value & (2 ** (8 * bytes) - 1);
    if (random.once(2)) copy.writeUIntBE(low, at, bytes);
    else copy.writeUIntLE(low, at, bytes);
  });

const addToByte: Step = (input, random) =>
  changed(input, copy => {
    const at = random.int(copy.length);
    copy[at] = ((copy[at] as number) + random.int(35) - 17) & 0xff;
  });

const repeat: Step = (input, random) => {
  const [from, to] = range(input, random);
  const piece = input.subarray(from, to);
  const times = random.pick([1, 2, 3, 10, 100, random.once(20) ? 20_000 : 200]);
  return between(
    input,
    to,
    to,
    Buffer.concat(Array.from({length: Math.min(times, 65_536 / (piece.length + 1))}, () => piece)),
  );
};

const replaceNumber: Step = (input, random) => {
  const text = input.toString('latin1');
  const found = [...text.matchAll(/-?\d+/g)];
  if (found.length === 0) return Buffer.from(text + random.pick(DECIMALS), 'latin1');
  const {index, 0: digits} = random.pick(found);
  return Buffer.from(text.slice(0, index) + random.pick(DECIMALS) + text.slice(index + digits.length), 'latin1');
};

const STEPS: readonly Step[] = [
  (input, random) =>
    changed(input, copy => {
      const at = random.int(copy.length);
      copy[at] = (copy[at] as number) ^ (1 << random.int(8));
    }),
  (input, random) => changed(input, copy => copy.fill(random.int(256), random.int(copy.length)).subarray(0)),
  (input, random) =>
    changed(input, copy => {
      copy[random.int(copy.length)] = random.int(256);
    }),
  addToByte,
  writeNumber,
  writeNumber,
  (input, random) => {
    const at = random.int(input.length + 1);
    return between(input, at, at, Buffer.from(Array.from({length: 1 + random.int(8)}, () => random.int(256))));
  },
  (input, random) => between(input, ...range(input, random), Buffer.alloc(0)),
  (input, random) => input.subarray(0, random.int(input.length + 1)),
  (input, random) => input.subarray(random.int(input.length + 1)),
  repeat,
  (input, random, pool) => {
    const other = random.pick(pool);
    return Buffer.concat([
      input.subarray(0, random.int(input.length + 1)),
      other.subarray(random.int(other.length + 1)),
    ]);
  },
  (input, random, pool) => {
    const other = random.pick(pool);
    return between(input, ...range(input, random), other.subarray(...range(other, random)));
  },
];

const TEXT_STEPS: readonly Step[] = [
  replaceNumber,
  (input, random) => between(input, ...range(input, random), Buffer.from(random.pick(ODD_TEXTS))),
  (input, random) => {
    const lines = input.toString('latin1').split('\n');
    const [from, to] = [random.int(lines.length), random.int(lines.length)];
    lines.splice(to, random.int(2), lines[from] as string);
    return Buffer.from(lines.join('\n'), 'latin1');
  },
  (input, random) => {
    const text = input.toString('latin1');
    const open = random.pick(['(', '[', '{', '[{"a":', '{"a":', '!', '- ', '"', "'", '\\', '.', ',', '/']);
    const at = random.int(text.length + 1);
    return Buffer.from(text.slice(0, at) + open.repeat(random.pick([2, 30, 600, 12_000])) + text.slice(at), 'latin1');
  },
];

export const mutateBytes: Step = (input, random, pool) => random.pick(STEPS)(input, random, pool);

export const mutateText =
  (words: readonly string[]): Step =>
  (input, random, pool) => {
    if (words.length > 0 && random.once(3)) {
      const word = Buffer.from(random.pick(words));
      return between(input, ...(random.once(2) ? range(input, random) : place(input, random)), word);
    }
    return random.pick(random.once(2) ? TEXT_STEPS : STEPS)(input, random, pool);
  };

const place = (input: Buffer, random: Random): readonly [number, number] => {
  const at = random.int(input.length + 1);
  return [at, at];
};
