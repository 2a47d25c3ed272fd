// SPDX-License-Identifier: Apache-2.0
/**
 * Faults as data. A round of a life is: start, `during` (while traffic flows), `end` (how the process ends), `damage` (to a copy
 * of what it left). Each is drawn by the seed from what the subject can take.
 */
import type {DiskFault} from '../disk/faulty-disk.ts';
import {between, oneOf, type Random} from './random.ts';

/**
 * How a process ends. `finish`: as its users end it, once all clients have everything. `terminate`: SIGTERM in the middle of
 * traffic. `power-loss`: killed, and the disk forgets what was not synced.
 */
export const ENDS = ['kill', 'kill-at-start', 'power-loss', 'terminate', 'finish'] as const;
/** What happens while traffic flows. */
export const DISTURBANCES = [
  'disk-full',
  'disk-read-only',
  'eio-write',
  'eio-sync',
  'eio-read',
  'short-write',
  'clock-forward',
  'clock-back',
  'pause',
] as const;
/** What happens to a copy of the folder. */
export const DAMAGES = ['corrupt-page', 'wal-cut', 'wal-zero'] as const;

export type End = (typeof ENDS)[number];
export type Disturbance = (typeof DISTURBANCES)[number];
export type Damage = (typeof DAMAGES)[number];
export type FaultKind = End | Disturbance | Damage;
export const FAULT_KINDS: readonly FaultKind[] = [...ENDS, ...DISTURBANCES, ...DAMAGES];

export type Round = {
  readonly during: readonly Disturbance[];
  readonly end: End;
  readonly damage: Damage | undefined;
};

const AT_START_CHANCE = 0.15;
const DURING_CHANCE = 0.7;
const SECOND_CHANCE = 0.25;
const DAMAGE_CHANCE = 0.5;

const isIn = <T extends FaultKind>(list: readonly T[], can: readonly FaultKind[]): T[] =>
  list.filter(kind => can.includes(kind));

/** One round of faults that the subject can take. Throws when it can take no end. */
export function drawRound(random: Random, can: readonly FaultKind[]): Round {
  const damages = isIn(DAMAGES, can);
  const end = random() < AT_START_CHANCE && can.includes('kill-at-start') ? 'kill-at-start' : drawEnd(random, can);
  const disturbances = isIn(DISTURBANCES, can).filter(kind => isDrawnWith(kind, end));
  const during: Disturbance[] = [];
  if (end !== 'kill-at-start' && disturbances.length > 0 && random() < DURING_CHANCE) {
    during.push(oneOf(random, disturbances));
    if (random() < SECOND_CHANCE) during.push(oneOf(random, disturbances));
  }
  return {during, end, damage: damages.length > 0 && random() < DAMAGE_CHANCE ? oneOf(random, damages) : undefined};
}

/**
 * When syncs fail, a COMMIT and its removal are in the log, both unsynced. When power goes then, both may be torn, and the start
 * may be refused with `lost-writes` although neither was answered (docs/track-record.md). So this pair is not drawn.
 */
const isDrawnWith = (kind: Disturbance, end: End): boolean => !(kind === 'eio-sync' && end === 'power-loss');

const drawEnd = (random: Random, can: readonly FaultKind[]): End =>
  oneOf(
    random,
    isIn(ENDS, can).filter(kind => kind !== 'kill-at-start'),
  );

/** Milliseconds that the clock goes by: up to a day. */
export const clockStep = (random: Random, kind: 'clock-forward' | 'clock-back'): number =>
  between(random, 1_000, 86_400_000) * (kind === 'clock-back' ? -1 : 1);

type DiskDisturbance = Exclude<Disturbance, 'pause' | 'clock-forward' | 'clock-back'>;

const FILES = [undefined, '-wal', '.db'];
/** Fails after some calls, a few times or for good. */
const draw = (random: Random, call: DiskFault['call'], errno: DiskFault['errno']): DiskFault => {
  const files = oneOf(random, FILES);
  return {
    call,
    errno,
    after: between(random, 0, 40),
    times: random() < 0.5 ? between(random, 1, 3) : Infinity,
    ...(files === undefined ? {} : {files}),
  };
};

/** What the disk is armed with. */
export const DISK_FAULTS: Readonly<Record<DiskDisturbance, (random: Random) => DiskFault>> = {
  'disk-full': random => draw(random, 'write', 'ENOSPC'),
  'disk-read-only': random => draw(random, 'write', 'EROFS'),
  'eio-write': random => draw(random, 'write', 'EIO'),
  'eio-sync': random => draw(random, 'sync', 'EIO'),
  'eio-read': random => draw(random, 'read', 'EIO'),
  'short-write': random => draw(random, 'write', 'short'),
};

/** Whether it takes a faulty disk to do it. */
export const needsDisk = (kind: FaultKind): boolean =>
  kind in DISK_FAULTS || kind === 'power-loss' || kind === 'clock-forward' || kind === 'clock-back';
