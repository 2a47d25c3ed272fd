// SPDX-License-Identifier: Apache-2.0
/**
 * One input through one decoder, and what must hold:
 *
 *   P1 it throws only the error classes that the target names
 *   P2 it takes at most STEP_MS of processor time
 *   P3 decoding twice gives the same value, or the same error
 *   P4 an accepted value is stable: decode(encode(x)) equals x
 *   P5 no prototype is changed, and no value has a prototype that came out of the input
 *   P6 the input is not changed
 *   P7 time and memory grow as the length of the input does (growth.ts)
 */
import {isDeepStrictEqual} from 'node:util';
import {ClaimFault, type Target} from './target.ts';

export const STEP_MS = 1_000;

export type FaultKind =
  | 'exception'
  | 'claim'
  | 'unstable'
  | 'changed'
  | 'pollution'
  | 'slow'
  | 'growth'
  | 'hang'
  | 'memory';
export type Fault = {readonly kind: FaultKind; readonly detail: string};

/** Words of a bug that was caught and given out as a refusal. */
const SLIPPED = /call stack size|Cannot read prop|is not a function|is not iterable|undefined \(/;

type Outcome = {readonly value: unknown} | {readonly refused: string};

class Broken extends Error {
  readonly fault: Fault;

  constructor(kind: FaultKind, detail: string) {
    super(detail);
    this.fault = {kind, detail};
  }
}

const stackOf = (error: unknown): string => {
  if (!(error instanceof Error)) return `thrown: ${String(error)}`;
  const frames = (error.stack ?? '')
    .split('\n')
    .filter(line => /^\s+at /.test(line) && !line.includes('/test/fuzz/frame/'));
  const place = frames
    .slice(0, 4)
    .map(line => line.trim().replace(/\(?(?:file:\/\/)?\/\S*?\/(packages|test|node_modules)\//, '($1/'));
  return [`${error.constructor.name}: ${error.message.slice(0, 300)}`, ...place].join('\n    ');
};

const isRefusal = (of: Target, error: unknown): error is Error =>
  (of.refusals ?? []).some(each => (each === Error ? (error as object)?.constructor === Error : error instanceof each));

async function attempt(of: Target, input: Buffer): Promise<Outcome> {
  try {
    return {value: await of.decode(input)};
  } catch (error) {
    if (error instanceof ClaimFault) throw new Broken('claim', stackOf(error));
    if (isRefusal(of, error) && !SLIPPED.test(error.message))
      return {refused: `${error.constructor.name}: ${error.message}`};
    throw new Broken('exception', stackOf(error));
  }
}

const PROTOTYPES: readonly object[] = [
  Object,
  Array,
  Function,
  String,
  Number,
  Map,
  Set,
  Uint8Array,
  Buffer,
  Error,
  RegExp,
].map(({prototype}) => prototype as object);
const keysOf = (): string => PROTOTYPES.map(each => Reflect.ownKeys(each).length).join(' ');
const CLEAN = keysOf();

/** A prototype without a constructor of its own came from `{"__proto__": …}`. */
function foreignPrototype(root: unknown): boolean {
  const open: unknown[] = [root];
  for (let seen = 0; open.length > 0 && seen < 2_000; seen++) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const prototype: object | null = Object.getPrototypeOf(value);
    if (prototype !== null && typeof prototype.constructor === 'function' && !Object.hasOwn(prototype, 'constructor'))
      return true;
    if (ArrayBuffer.isView(value)) continue;
    open.push(...(value instanceof Map ? [...value.keys(), ...value.values()] : Object.values(value).slice(0, 500)));
  }
  return false;
}

const shown = (value: unknown): string => {
  try {
    return (
      JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each)) ?? 'undefined'
    ).slice(0, 300);
  } catch {
    return String(value).slice(0, 300);
  }
};

/** Values that are nested too deeply to be compared count as equal. */
function isEqual(a: unknown, b: unknown): boolean {
  try {
    return isDeepStrictEqual(a, b);
  } catch (error) {
    if (error instanceof RangeError) return true;
    throw error;
  }
}

async function judge(of: Target, input: Buffer): Promise<void> {
  const given = Buffer.from(input);
  const first = await attempt(of, input);
  if (keysOf() !== CLEAN) throw new Broken('pollution', 'a prototype has other keys than before');
  if (!given.equals(input)) throw new Broken('changed', 'the decoder changed its input');
  const second = await attempt(of, input);
  if (!isEqual(first, second)) throw new Broken('unstable', `twice: ${shown(first)}\n    then: ${shown(second)}`);
  if ('refused' in first) return;
  if (foreignPrototype(first.value)) throw new Broken('pollution', 'a value has a prototype from the input');
  const bytes = of.encode?.(first.value);
  if (bytes === undefined) return;
  const again = await attempt(of, Buffer.from(bytes as string));
  if (!isEqual(first, again))
    throw new Broken(
      'unstable',
      `decoded: ${shown(first)}\n    encoded: ${shown(Buffer.from(bytes as string).toString('latin1'))}\n    decoded again: ${shown(again)}`,
    );
}

/** Undefined: everything holds. */
export async function execute(of: Target, input: Buffer): Promise<Fault | undefined> {
  const before = process.threadCpuUsage();
  try {
    await judge(of, input);
  } catch (error) {
    if (error instanceof Broken) return error.fault;
    return {kind: 'exception', detail: stackOf(error)};
  }
  const {user, system} = process.threadCpuUsage(before);
  const ms = (user + system) / 1000;
  return ms > STEP_MS ? {kind: 'slow', detail: `${Math.round(ms)} ms of processor time`} : undefined;
}

/** Equal findings have equal keys: the kind, the error without its data, and where it was thrown. */
export const keyOf = ({kind, detail}: Fault): string => {
  if (kind === 'slow' || kind === 'growth' || kind === 'hang' || kind === 'memory') return kind;
  const [what = '', where = ''] = detail.split('\n');
  return `${kind} ${what.replace(/["'`].*$|\d+/g, '')} ${kind === 'unstable' ? '' : where.trim()}`;
};
