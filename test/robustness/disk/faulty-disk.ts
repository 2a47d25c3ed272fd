// SPDX-License-Identifier: Apache-2.0
/**
 * A disk with faults, for processes that a test starts: a library (shim.c, LD_PRELOAD) sees their calls on files below one
 * folder, fails those that are armed, and logs each change, so that a state after power loss can be computed from the log.
 * What is durable when: replay.ts. What power loss leaves: crash-state.ts. What the library does not see: shim.c.
 */
import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {isAbsolute, join} from 'node:path';
import {buildShim} from './build-shim.ts';
import {Control, type DiskFault, type FaultHits} from './control.ts';
import {crashState, type PowerLoss, type Random} from './crash-state.ts';
import {type Operation, readOperations} from './operations.ts';
import {Replay} from './replay.ts';
import {differences, type FolderNode, readModes, readTree, writeTree} from './tree.ts';

export {whyNoDisk} from './build-shim.ts';
export type {DiskFault, FaultHits} from './control.ts';
export type {PowerLoss, Random} from './crash-state.ts';

/** A state that the disk may have had after power loss at a moment. */
export type Imagined = PowerLoss & {
  /** What the processes had written to stdout by then. */
  readonly said: string;
};

export class FaultyDisk implements Disposable {
  readonly folder: string;
  readonly #work: string;
  readonly #logs: string;
  readonly #library: string;
  readonly #controlPath: string;
  readonly #control: Control;
  #base: FolderNode;
  #read: readonly Operation[] | undefined;

  /** `folder`: absolute; everything below it is the disk. It is made if it does not exist. Throws with `whyNoDisk()`. */
  static async make(folder: string): Promise<FaultyDisk> {
    if (!isAbsolute(folder)) throw new Error(`${folder}: not an absolute path`);
    mkdirSync(folder, {recursive: true});
    return new FaultyDisk(realpathSync(folder), buildShim());
  }

  private constructor(folder: string, library: string) {
    this.folder = folder;
    this.#library = library;
    this.#work = mkdtempSync(join(tmpdir(), 'palisade-disk-'));
    this.#logs = join(this.#work, 'logs');
    mkdirSync(this.#logs);
    this.#controlPath = join(this.#work, 'control');
    this.#control = new Control(this.#controlPath);
    this.#base = readTree(folder);
  }

  /**
   * Variables for spawn(), in addition to those of the test. Call it right before each start: where nothing was logged since the
   * last loss of power, the folder as it is now is what is durable (so that a test may open it by itself in between).
   * Give the process the path `folder` of this object: symbolic links are not followed.
   */
  env(): Record<string, string> {
    if (!this.#hasLog()) this.#base = readTree(this.folder);
    return {
      LD_PRELOAD: this.#library,
      PALISADE_DISK_FOLDER: this.folder,
      PALISADE_DISK_CONTROL: this.#controlPath,
      PALISADE_DISK_LOG: this.#logs,
    };
  }

  /** In addition to the faults that are armed already; acts on running processes at once. At most 32 at a time. */
  arm(...faults: readonly DiskFault[]): void {
    this.#control.arm(faults);
  }

  /** The disk is well again. */
  disarm(): void {
    this.#control.disarm();
  }

  /** How often each fault struck that was ever armed, in the order of arming. */
  hits(): readonly FaultHits[] {
    return this.#control.hits();
  }

  /** The wall clock of the processes jumps by so many milliseconds, forwards or backwards; steps add up. Timers are not affected. */
  stepClock(ms: number): void {
    this.#control.stepClock(ms);
  }

  /**
   * Kills a process between two changes (kill -9 under the lock of shim.c). A kill in the middle of one leaves bytes on the disk that
   * the log does not have. Needs util-linux. One that is gone already is no error; another reason to fail is thrown.
   */
  kill(pid: number): void {
    if (!(pid > 0)) throw new Error(`no process to kill: ${pid} names a group of processes`);
    execFileSync('flock', [this.#controlPath, '-c', `kill -KILL ${pid} || test ! -e /proc/${pid}`], {stdio: 'pipe'});
  }

  /**
   * Call it when the process is dead: rewrites the folder to a state that the disk may have after power went at the moment of
   * the kill. `random`: numbers in [0, 1); the same numbers and the same log give the same state.
   */
  losePower(random: Random): PowerLoss {
    const {tree, loss} = this.#crash(this.#operations(), random);
    writeTree(this.folder, tree);
    for (const name of readdirSync(this.#logs)) rmSync(join(this.#logs, name));
    this.#read = undefined;
    this.#base = readTree(this.folder);
    return loss;
  }

  /** Operations in the log, when the process is dead. */
  get operations(): number {
    return this.#operations().length;
  }

  /**
   * When the process is dead: writes a state after power loss into another folder, as if power had gone after the first `at`
   * operations; the disk and its log remain. So one run gives as many states as wanted, at every moment of it.
   */
  imagine(into: string, random: Random, at = this.operations): Imagined {
    const past = this.#operations().slice(0, at);
    const {tree, loss} = this.#crash(past, random);
    writeTree(into, tree);
    const said = past.flatMap(operation => (operation.kind === 'said' ? [operation.bytes] : []));
    return {...loss, said: Buffer.concat(said).toString()};
  }

  /**
   * When the process is dead (by `kill` above): what in the folder the log does not explain, as paths with words; empty, or the
   * library missed a call. Not of -shm files, which are mapped.
   */
  unexplained(): string[] {
    const replay = this.#replay(this.#operations(), true);
    return differences(replay.liveTree(), readTree(this.folder)).filter(text => !/-shm:/.test(text));
  }

  /** Removes the log and the control file; the folder remains. */
  [Symbol.dispose](): void {
    this.#control.close();
    rmSync(this.#work, {recursive: true, force: true});
  }

  #crash(operations: readonly Operation[], random: Random): {tree: FolderNode; loss: PowerLoss} {
    const replay = this.#replay(operations);
    replay.takeModes(readModes(this.folder));
    return crashState(replay, random);
  }

  #replay(operations: readonly Operation[], keepsLive = false): Replay {
    const replay = new Replay(this.#base, keepsLive);
    for (const operation of operations) replay.apply(operation);
    return replay;
  }

  #operations(): readonly Operation[] {
    this.#read ??= readOperations(this.#logs);
    return this.#read;
  }

  #hasLog(): boolean {
    this.#read = undefined; // a process will add to it
    return readOperations(this.#logs).some(({kind}) => kind !== 'said');
  }
}
