// SPDX-License-Identifier: Apache-2.0
/** The next input of a target. */
import {mutateBytes, mutateText} from './mutate-bytes.ts';
import {mutateProtobuf} from './mutate-protobuf.ts';
import {mutateTree} from './mutate-tree.ts';
import type {Random} from './random.ts';
import type {Target} from './target.ts';

const BYTES_MAX = 256 * 1024;
const GRAMMAR_BATCH = 50;

/** Inputs without end: mutated ones of `pool` (which may grow), and texts of the target's grammar. */
export function* inputsOf(of: Target, pool: readonly Buffer[], random: Random): Generator<Buffer, never> {
  const bytesMax = of.bytesMax ?? BYTES_MAX;
  let texts: readonly string[] = [];
  for (let count = 0; ; count++) {
    let input = random.pick(pool);
    if (of.grammar !== undefined && random.once(3)) {
      if (count % GRAMMAR_BATCH === 0 || texts.length === 0) texts = of.grammar(random.u32(), GRAMMAR_BATCH);
      input = Buffer.from(random.pick(texts));
      if (random.once(2)) {
        yield input;
        continue;
      }
    }
    for (let step = 1 + random.int(random.once(4) ? 8 : 3); step > 0; step--) input = step1(of, input, random, pool);
    yield input.length > bytesMax ? input.subarray(0, bytesMax) : input;
  }
}

function step1(of: Target, input: Buffer, random: Random, pool: readonly Buffer[]): Buffer {
  const {form, words = [], prefixBytes = 0} = of;
  const isStructural = !random.once(4);
  if (isStructural && (form === 'json' || form === 'yaml')) {
    const next = mutateTree(input, random, form);
    if (next !== undefined) return next;
  }
  if (isStructural && form === 'protobuf') {
    const next = mutateProtobuf(input, random, prefixBytes);
    if (next !== undefined) return next;
  }
  return form === 'bytes' || form === 'protobuf'
    ? mutateBytes(input, random, pool)
    : mutateText(words)(input, random, pool);
}
