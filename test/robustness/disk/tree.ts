// SPDX-License-Identifier: Apache-2.0
/** Files and folders in memory: read from a folder, and written into one. */
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';

export type FileNode = {readonly kind: 'file'; readonly mode: number; readonly bytes: Buffer};
export type FolderNode = {readonly kind: 'folder'; readonly mode: number; readonly entries: ReadonlyMap<string, Node>};
export type LinkNode = {readonly kind: 'symbolic link'; readonly target: string};
export type Node = (FileNode | FolderNode | LinkNode) & {readonly inode?: bigint};

const PERMISSIONS = 0o7777;

/** Undefined: neither a file nor a folder nor a link (a socket, say). A file with two names is two nodes with one inode. */
const readNode = (path: string): Node | undefined => {
  const found = lstatSync(path, {bigint: true});
  const {ino: inode} = found;
  const mode = Number(found.mode) & PERMISSIONS;
  if (found.isSymbolicLink()) return {kind: 'symbolic link', target: readlinkSync(path), inode};
  if (found.isFile()) return {kind: 'file', mode, bytes: readFileSync(path), inode};
  return found.isDirectory() ? {kind: 'folder', mode, entries: readEntries(path), inode} : undefined;
};

const readEntries = (path: string): Map<string, Node> =>
  new Map(
    readdirSync(path).flatMap(name => {
      const node = readNode(join(path, name));
      return node === undefined ? [] : [[name, node] as const];
    }),
  );

export const readTree = (path: string): FolderNode & {readonly inode: bigint} => {
  const {ino: inode, mode} = lstatSync(path, {bigint: true});
  return {kind: 'folder', mode: Number(mode) & PERMISSIONS, entries: readEntries(path), inode};
};

/** The permissions of all files and folders, by inode. */
export const readModes = (path: string): Map<bigint, number> =>
  new Map(
    [path, ...readdirSync(path, {recursive: true, encoding: 'utf8'}).map(name => join(path, name))].map(one => {
      const {ino, mode} = lstatSync(one, {bigint: true});
      return [ino, Number(mode) & PERMISSIONS];
    }),
  );

/** Instead of what is in the folder. The same node under two names becomes one file with two names. */
export const writeTree = (path: string, {entries}: FolderNode): void => {
  mkdirSync(path, {recursive: true});
  for (const name of readdirSync(path)) rmSync(join(path, name), {recursive: true});
  writeEntries(path, entries, new Map());
};

const writeEntries = (path: string, entries: ReadonlyMap<string, Node>, written: Map<Node, string>): void => {
  for (const [name, node] of entries) {
    const to = join(path, name);
    const other = written.get(node);
    written.set(node, to);
    if (other !== undefined) linkSync(other, to);
    else if (node.kind === 'symbolic link') symlinkSync(node.target, to);
    else if (node.kind === 'file') {
      writeFileSync(to, node.bytes);
      chmodSync(to, node.mode);
    } else {
      mkdirSync(to);
      writeEntries(to, node.entries, written);
      chmodSync(to, node.mode);
    }
  }
};

/** What two folders differ in, as paths with words; empty: names, kinds and bytes are the same. */
export const differences = (a: FolderNode, b: FolderNode, at = ''): string[] =>
  [...new Set([...a.entries.keys(), ...b.entries.keys()])].sort().flatMap(name => {
    const [one, other] = [a.entries.get(name), b.entries.get(name)];
    const path = `${at}${name}`;
    if (one === undefined || other === undefined)
      return [`${path}: only in ${one === undefined ? 'the second' : 'the first'}`];
    if (one.kind === 'folder' && other.kind === 'folder') return differences(one, other, `${path}/`);
    if (one.kind === 'file' && other.kind === 'file')
      return one.bytes.equals(other.bytes)
        ? []
        : [`${path}: ${one.bytes.length} and ${other.bytes.length} bytes that differ`];
    return one.kind === other.kind ? [] : [`${path}: ${one.kind} and ${other.kind}`];
  });
