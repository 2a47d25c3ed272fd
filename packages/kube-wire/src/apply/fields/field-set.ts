// SPDX-License-Identifier: Apache-2.0
/**
 * Sets of fields, as trees. A node is in the set when `member`; its `children` hold what is in the set below it.
 * I1: no node without membership and without children, so an empty set is a map of size 0.
 * I2: sets are never changed after they left their builder; operations share what they can.
 * Ref: structured-merge-diff v6 fieldpath/set.go.
 */
import {comparePathElements, type PathElement} from './path-element.ts';

export type FieldSet = ReadonlyMap<PathElement, FieldNode>;
export type FieldNode = {readonly member: boolean; readonly children: FieldSet | undefined};

type Building = Map<PathElement, {member: boolean; children: Building | undefined}>;

export const EMPTY_SET: FieldSet = new Map();
const LEAF: FieldNode = {member: true, children: undefined};

/** Grows one set. */
export class FieldSetBuilder {
  readonly #root: Building = new Map();

  /** Adds the field at `path`, not its parents. The empty path is nobody's. */
  insert(path: readonly PathElement[]): void {
    let level = this.#root;
    const last = path.length - 1;
    for (let i = 0; i < last; i++) {
      const step = path[i] as PathElement;
      let node = level.get(step);
      if (node === undefined) {
        node = {member: false, children: new Map()};
        level.set(step, node);
      } else if (node.children === undefined) {
        node.children = new Map();
      }
      level = node.children as Building;
    }
    const step = path[last];
    if (step === undefined) return;
    const node = level.get(step);
    if (node === undefined) level.set(step, {member: true, children: undefined});
    else node.member = true;
  }

  get size(): number {
    return this.#root.size;
  }

  /** The set; the builder must not be used after it. */
  build(): FieldSet {
    return this.#root;
  }
}

export function fieldSetOf(...paths: readonly (readonly PathElement[])[]): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.insert(path);
  return builder.build();
}

/** What is in either. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a.size === 0) return b;
  if (b.size === 0 || a === b) return a;
  const out = new Map(a);
  for (const [step, right] of b) {
    const left = out.get(step);
    if (left === undefined) out.set(step, right);
    else if (left !== right) out.set(step, unionNodes(left, right));
  }
  return out;
}

function unionNodes(left: FieldNode, right: FieldNode): FieldNode {
  const children =
    left.children === undefined
      ? right.children
      : right.children === undefined
        ? left.children
        : union(left.children, right.children);
  return {member: left.member || right.member, children};
}

/** What is in both. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a.size === 0 || b.size === 0) return EMPTY_SET;
  const out = new Map<PathElement, FieldNode>();
  for (const [step, left] of a) {
    const right = b.get(step);
    if (right === undefined) continue;
    put(
      out,
      step,
      left.member && right.member,
      left.children && right.children && intersection(left.children, right.children),
    );
  }
  return out;
}

/** What is in `a` and not in `b`, field by field: taking a parent away leaves its children. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (a.size === 0 || b.size === 0) return a;
  const out = new Map<PathElement, FieldNode>();
  let same = true;
  for (const [step, left] of a) {
    const right = b.get(step);
    if (right === undefined) {
      out.set(step, left);
      continue;
    }
    const children = left.children && right.children ? difference(left.children, right.children) : left.children;
    const member = left.member && !right.member;
    if (member === left.member && children === left.children) {
      out.set(step, left);
      continue;
    }
    same = false;
    put(out, step, member, children);
  }
  return same ? a : out;
}

/** As difference, but a field of `b` takes everything below it with it. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (a.size === 0 || b.size === 0) return a;
  const out = new Map<PathElement, FieldNode>();
  for (const [step, left] of a) {
    const right = b.get(step);
    if (right === undefined) {
      out.set(step, left);
    } else if (!right.member) {
      const children =
        left.children && right.children ? recursiveDifference(left.children, right.children) : left.children;
      put(out, step, left.member, children);
    }
  }
  return out;
}

function put(out: Map<PathElement, FieldNode>, step: PathElement, member: boolean, children: FieldSet | undefined) {
  const below = children !== undefined && children.size > 0 ? children : undefined;
  if (below === undefined) {
    if (member) out.set(step, LEAF);
  } else {
    out.set(step, {member, children: below});
  }
}

/** The members that have nothing below them in the set. */
export function leaves(set: FieldSet): FieldSet {
  const out = new Map<PathElement, FieldNode>();
  for (const [step, node] of set) {
    if (node.children === undefined) put(out, step, node.member, undefined);
    else put(out, step, false, leaves(node.children));
  }
  return out;
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [step, left] of a) {
    const right = b.get(step);
    if (right === undefined || left.member !== right.member) return false;
    if (!equalSets(left.children ?? EMPTY_SET, right.children ?? EMPTY_SET)) return false;
  }
  return true;
}

/** Steps of one level in their order. */
export function sortedSteps(set: FieldSet): PathElement[] {
  return [...set.keys()].sort(comparePathElements);
}

/** Every member's path; at each level the members first, then what is below them. */
export function listPaths(set: FieldSet, prefix: readonly PathElement[] = []): PathElement[][] {
  const steps = sortedSteps(set);
  const out: PathElement[][] = [];
  for (const step of steps) if (set.get(step)?.member) out.push([...prefix, step]);
  for (const step of steps) {
    const children = set.get(step)?.children;
    if (children !== undefined) out.push(...listPaths(children, [...prefix, step]));
  }
  return out;
}
