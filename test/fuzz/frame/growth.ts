// SPDX-License-Identifier: Apache-2.0
/**
 * P7: time and memory grow with the length of an input, not with its square. A piece of a seed, or a word of the target, is repeated in
 * inputs of growing length; where a longer one takes more than its share, and again so, that is a finding.
 */
import {seedsOf} from './corpus.ts';
import {execute, type Fault} from './execute.ts';
import type {Random} from './random.ts';
import type {Target} from './target.ts';

const SIZES = [2_000, 8_000, 32_000, 128_000];
/** Between two sizes. A square grows by 16, n log n by less than 5; the rest is noise, and tables that are filled. */
const GROWTH_MAX = 9;
/** What is shorter says nothing. */
const MEASURED_MS = 60;
const SURE_OF = 3;
/** What an input may leave on the heap, before anything is collected. */
const HEAP_BYTES_MAX = 256 * 1024 * 1024;
const SHAPES = 12;

type Shape = {readonly before: Buffer; readonly piece: Buffer; readonly after: Buffer};

const inputOf = ({before, piece, after}: Shape, bytes: number): Buffer =>
  Buffer.concat([before, ...Array<Buffer>(Math.max(1, Math.ceil(bytes / piece.length))).fill(piece), after]);

const shapeOf = (of: Target, pool: readonly Buffer[], random: Random): Shape => {
  const seed = random.pick(pool);
  const from = random.int(seed.length);
  const to = Math.min(seed.length, from + 1 + random.int(random.once(3) ? 64 : 6));
  const {words = []} = of;
  const isWord = words.length > 0 && random.once(2);
  const piece = isWord ? Buffer.from(random.pick(words)) : seed.subarray(from, to);
  const after = random.once(2) ? seed.subarray(to) : Buffer.alloc(0);
  return {before: seed.subarray(0, isWord ? from : to), piece: piece.length > 0 ? piece : Buffer.from('a'), after};
};

const cpuMs = (since?: NodeJS.CpuUsage): {readonly usage: NodeJS.CpuUsage; readonly ms: number} => {
  const usage = process.threadCpuUsage(since);
  return {usage, ms: (usage.user + usage.system) / 1_000};
};

/** The shortest of some tries: others use the machine too. */
async function msOf(of: Target, input: Buffer, tries: number): Promise<number | Fault> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < tries; i++) {
    const {usage} = cpuMs();
    const heap = process.memoryUsage().heapUsed;
    const fault = await execute(of, input);
    const grown = process.memoryUsage().heapUsed - heap;
    if (fault !== undefined && fault.kind !== 'slow') return fault; // P2 is for one input of any length
    if (grown > HEAP_BYTES_MAX)
      return {kind: 'memory', detail: `${Math.round(grown / 1024 / 1024)} MiB for ${input.length} bytes`};
    least = Math.min(least, cpuMs(usage).ms);
  }
  return least;
}

export type Grown = {readonly fault: Fault; readonly input: Buffer};

/** Of one shape; undefined: its time grows as its length does. */
async function grownIn(of: Target, shape: Shape, announce: (input: Buffer) => void): Promise<Grown | undefined> {
  let before = 0;
  for (const size of SIZES) {
    if (size > (of.bytesMax ?? Number.POSITIVE_INFINITY)) return undefined;
    const input = inputOf(shape, size);
    announce(input);
    const first = await msOf(of, input, 1);
    if (typeof first !== 'number') return {fault: first, input};
    if (first > MEASURED_MS && first > GROWTH_MAX * before) {
      const [short, long] = [await msOf(of, inputOf(shape, size / 4), SURE_OF), await msOf(of, input, SURE_OF)];
      if (typeof short === 'number' && typeof long === 'number' && long > MEASURED_MS && long > GROWTH_MAX * short) {
        const detail = `${short.toFixed(1)} ms for ${size / 4} bytes, ${long.toFixed(1)} ms for ${size}`;
        return {fault: {kind: 'growth', detail}, input};
      }
    }
    before = first;
  }
  return undefined;
}

/** The first finding of some shapes. `isSpent`: no more of them. */
export async function growth(
  of: Target,
  random: Random,
  announce: (input: Buffer) => void,
  isSpent: () => boolean,
): Promise<Grown | undefined> {
  const pool = seedsOf(of)
    .map(({bytes}) => bytes)
    .filter(bytes => bytes.length > 0 && bytes.length <= 2_000);
  for (let i = 0; i < SHAPES && pool.length > 0 && !isSpent(); i++) {
    const found = await grownIn(of, shapeOf(of, pool, random), announce);
    if (found !== undefined) return found;
  }
  return undefined;
}
