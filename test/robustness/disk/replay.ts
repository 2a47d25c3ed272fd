// SPDX-License-Identifier: Apache-2.0
/**
 * Replays the log of a disk: what every file and folder is for the processes (live), what of it is on the disk for sure (durable),
 * and which changes are pending, that is: not synced, so that each may be on the disk or not.
 *
 * The model is what POSIX promises and SQLite relies on, not what one file system does in addition:
 *   D1 A sync of a file makes durable what was written to it before, and its size. It does not make its name durable.
 *   D2 A sync of a folder makes durable what was created, renamed and removed in it before. A rename between two folders
 *      needs both. What happened earlier to the same names is durable with it.
 *   D3 A sync that failed makes nothing durable, and what was pending then is clean for the system: a later sync of the file
 *      covers such a page (4096 bytes) only if it was written again. Ref: fsync(2) of Linux; "fsyncgate", 2018
 *   D4 Mapped memory is never on the disk. SQLite maps the -shm file alone, which it rebuilds from the log.
 * Ref: sqlite.org/atomiccommit.html (section 3.1), ALICE (OSDI '14), and LazyFS, which also keep unsynced changes apart.
 */
import {Content} from './content.ts';
import type {Operation} from './operations.ts';
import type {FolderNode, Node} from './tree.ts';

/** `order`: its place in the log. `forsaken`: a sync of it has failed (D3). */
export type FileWrite = {
  readonly kind: 'write';
  readonly order: number;
  readonly forsaken: boolean;
  readonly offset: number;
  readonly bytes: Buffer;
};
export type FileChange = FileWrite | {readonly kind: 'size'; readonly order: number; readonly size: number};

export type DiskFile = {
  readonly kind: 'file';
  mode: number;
  /** What the processes see; only its size where nobody asked for more. */
  readonly live: Content | undefined;
  liveSize: number;
  readonly durable: Content;
  pending: FileChange[];
};
export type DiskFolder = {
  readonly kind: 'folder';
  mode: number;
  readonly number: number;
  readonly live: Map<string, DiskNode>;
  readonly durable: Map<string, DiskNode>;
};
export type DiskLink = {readonly kind: 'symbolic link'; readonly target: string};
export type DiskNode = DiskFile | DiskFolder | DiskLink;

/** `node` undefined: the name is removed. */
type NameStep = {readonly folder: DiskFolder; readonly name: string; readonly node: DiskNode | undefined};
/** Happens wholly or not at all. */
export type NameChange = {
  readonly order: number;
  readonly steps: readonly NameStep[];
  readonly unsynced: Set<DiskFolder>;
};

export const namesOf = ({steps}: NameChange): string[] => steps.map(({folder, name}) => `${folder.number}/${name}`);

/** To the names on the disk. */
export const applyNames = ({steps}: NameChange): void => {
  for (const {folder, name, node} of steps)
    if (node === undefined) folder.durable.delete(name);
    else folder.durable.set(name, node);
};

type NameOperation = Operation & {readonly kind: 'create' | 'mkdir' | 'rename' | 'link' | 'symlink' | 'unlink'};

const PAGE_BYTES = 4_096;
const pagesOf = (offset: number, length: number): number[] => {
  const first = Math.floor(offset / PAGE_BYTES);
  return Array.from({length: Math.floor((offset + length - 1) / PAGE_BYTES) - first + 1}, (_, i) => first + i);
};

export class Replay {
  readonly root: DiskFolder;
  pendingNames: NameChange[] = [];
  readonly #inodes = new Map<bigint, DiskNode>();
  #folders = 0;
  #order = 0;

  readonly #keepsLive: boolean;

  /** `base`: the disk as it is, all of it durable. `keepsLive`: for `liveTree`. */
  constructor(base: FolderNode, keepsLive = false) {
    this.#keepsLive = keepsLive;
    this.root = this.#take(base) as DiskFolder;
  }

  apply(operation: Operation): void {
    this.#order++;
    switch (operation.kind) {
      case 'write':
      case 'truncate':
        this.#change(operation);
        break;
      case 'sync':
        this.#sync(operation.inode);
        break;
      case 'sync failed':
        this.#failSync(operation.inode);
        break;
      case 'said':
        break;
      default:
        this.#rename(...this.#namesOf(operation));
    }
  }

  #namesOf(operation: NameOperation): readonly (readonly [path: string, node: DiskNode | undefined])[] {
    const {path} = operation;
    switch (operation.kind) {
      case 'create':
      case 'mkdir':
        return [[path, this.#make(operation)]];
      case 'rename':
        return [
          [path, undefined],
          [operation.to, this.#live(path)],
        ];
      case 'link':
        return [[operation.to, this.#live(path)]];
      case 'symlink':
        return [[path, {kind: 'symbolic link', target: operation.target}]];
      case 'unlink':
        return [[path, undefined]];
    }
  }

  /** Every file that can be reached, on the disk or by pending names. */
  files(): Set<DiskFile> {
    const files = new Set<DiskFile>();
    const visit = (node: DiskNode | undefined): void => {
      if (node?.kind === 'file') files.add(node);
      if (node?.kind === 'folder') for (const entry of node.durable.values()) visit(entry);
    };
    visit(this.root);
    for (const {steps} of this.pendingNames) for (const {node} of steps) visit(node);
    return files;
  }

  /** What the processes see. */
  liveTree(): FolderNode {
    return liveTreeOf(this.root);
  }

  /** Modes are not in the log: they are taken from the folder as it is. */
  takeModes(modes: ReadonlyMap<bigint, number>): void {
    for (const [inode, mode] of modes) {
      const node = this.#inodes.get(inode);
      if (node !== undefined && node.kind !== 'symbolic link') node.mode = mode;
    }
  }

  #take(node: Node): DiskNode {
    const known = node.inode === undefined ? undefined : this.#inodes.get(node.inode);
    if (known !== undefined) return known;
    const taken = this.#copy(node);
    if (node.inode !== undefined) this.#inodes.set(node.inode, taken);
    return taken;
  }

  #copy(node: Node): DiskNode {
    if (node.kind === 'symbolic link') return {kind: node.kind, target: node.target};
    if (node.kind === 'file') return this.#newFile(node.mode, node.bytes);
    const folder = this.#newFolder(node.mode);
    for (const [name, entry] of node.entries) {
      const taken = this.#take(entry);
      folder.live.set(name, taken);
      folder.durable.set(name, taken);
    }
    return folder;
  }

  #newFile(mode: number, bytes: Buffer = Buffer.alloc(0)): DiskFile {
    const live = this.#keepsLive ? new Content(bytes) : undefined;
    return {kind: 'file', mode, live, liveSize: bytes.length, durable: new Content(bytes), pending: []};
  }

  #newFolder(mode: number): DiskFolder {
    return {kind: 'folder', mode, number: this.#folders++, live: new Map(), durable: new Map()};
  }

  #make({kind, inode, mode}: Operation & {readonly kind: 'create' | 'mkdir'}): DiskNode {
    const node = kind === 'create' ? this.#newFile(mode) : this.#newFolder(mode);
    this.#inodes.set(inode, node); // it may have been that of a file that is gone
    return node;
  }

  #rename(...changes: readonly (readonly [path: string, node: DiskNode | undefined])[]): void {
    const steps = changes.map(([path, node]) => ({...this.#place(path), node}));
    for (const {folder, name, node} of steps)
      if (node === undefined) folder.live.delete(name);
      else folder.live.set(name, node);
    this.pendingNames.push({order: this.#order, steps, unsynced: new Set(steps.map(({folder}) => folder))});
  }

  #place(path: string): {folder: DiskFolder; name: string} {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    const folder = this.#live(parts.join('/'));
    if (folder.kind !== 'folder') throw new Error(`${path}: its parent is a ${folder.kind} in the log`);
    return {folder, name};
  }

  #live(path: string): DiskNode {
    let node: DiskNode = this.root;
    for (const part of path.split('/').filter(text => text !== '')) {
      const next: DiskNode | undefined = node.kind === 'folder' ? node.live.get(part) : undefined;
      if (next === undefined) throw new Error(`${path}: the log does not say how it came to be`);
      node = next;
    }
    return node;
  }

  #fileOf(inode: bigint): DiskFile {
    const file = this.#inodes.get(inode);
    if (file?.kind !== 'file') throw new Error(`inode ${inode}: the log does not say how the file came to be`);
    return file;
  }

  #change(operation: Operation & {readonly kind: 'write' | 'truncate'}): void {
    const file = this.#fileOf(operation.inode);
    const order = this.#order;
    const change: FileChange =
      operation.kind === 'write'
        ? {kind: 'write', order, forsaken: false, offset: operation.offset, bytes: operation.bytes}
        : {kind: 'size', order, size: operation.size};
    if (file.live !== undefined) applyChange(file.live, change);
    file.liveSize = change.kind === 'size' ? change.size : Math.max(file.liveSize, endOf(change));
    file.pending.push(change);
  }

  #sync(inode: bigint): void {
    const node = this.#inodes.get(inode);
    if (node?.kind === 'folder') this.#syncFolder(node);
    else syncFile(this.#fileOf(inode));
  }

  #syncFolder(folder: DiskFolder): void {
    for (const {unsynced} of this.pendingNames) unsynced.delete(folder);
    const touched = new Set<string>();
    const durable = this.pendingNames.toReversed().filter(change => {
      const names = namesOf(change);
      if (change.unsynced.size > 0 && !names.some(name => touched.has(name))) return false;
      for (const name of names) touched.add(name);
      return true;
    });
    for (const change of durable.reverse()) applyNames(change);
    const done = new Set(durable);
    this.pendingNames = this.pendingNames.filter(change => !done.has(change));
  }

  #failSync(inode: bigint): void {
    const node = this.#inodes.get(inode);
    if (node?.kind === 'file')
      node.pending = node.pending.flatMap((change): FileChange[] =>
        change.kind === 'write' ? inPages(change) : [change],
      );
  }
}

const liveTreeOf = ({mode, live}: DiskFolder): FolderNode => ({
  kind: 'folder',
  mode,
  entries: new Map(
    [...live].map(([name, node]): [string, Node] => {
      if (node.kind === 'folder') return [name, liveTreeOf(node)];
      if (node.kind === 'symbolic link') return [name, node];
      if (node.live === undefined) throw new Error('the replay does not keep what the processes see');
      return [name, {kind: 'file', mode: node.mode, bytes: node.live.bytes}];
    }),
  ),
});

export const endOf = ({offset, bytes}: FileWrite): number => offset + bytes.length;

export const applyChange = (content: Content, change: FileChange): void => {
  if (change.kind === 'size') content.resize(change.size);
  else content.write(change.offset, change.bytes);
};

/** Forsaken pieces. */
const inPages = (write: FileWrite): FileWrite[] =>
  pagesOf(write.offset, write.bytes.length).map(page => {
    const from = Math.max(write.offset, page * PAGE_BYTES);
    const to = Math.min(write.offset + write.bytes.length, (page + 1) * PAGE_BYTES);
    return {
      ...write,
      forsaken: true,
      offset: from,
      bytes: write.bytes.subarray(from - write.offset, to - write.offset),
    };
  });

const syncFile = (file: DiskFile): void => {
  if (file.pending.some(change => change.kind === 'write' && change.forsaken)) syncWithForsaken(file);
  else {
    for (const change of file.pending) applyChange(file.durable, change);
    file.pending = [];
  }
  file.durable.resize(file.liveSize);
};

/** D3 */
const syncWithForsaken = (file: DiskFile): void => {
  const dirty = new Set(
    file.pending.flatMap(change =>
      change.kind === 'write' && !change.forsaken ? pagesOf(change.offset, change.bytes.length) : [],
    ),
  );
  let left: FileChange[] = [];
  for (const change of file.pending) {
    const isClean = change.kind === 'write' && change.forsaken && !dirty.has(Math.floor(change.offset / PAGE_BYTES));
    if (isClean) left.push(change);
    else applyChange(file.durable, change);
    if (change.kind === 'size') left = left.filter(piece => piece.kind === 'write' && piece.offset < change.size);
  }
  file.pending = left;
};
