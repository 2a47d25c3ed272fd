// SPDX-License-Identifier: Apache-2.0
/** Which lines were added and removed: the shortest edit by Myers' greedy algorithm. Ref: Myers 1986, figure 2. */

export type DiffLine =
  | {
      readonly kind: 'same' | 'added' | 'removed';
      readonly text: string;
      readonly before?: number;
      readonly after?: number;
    }
  | {readonly kind: 'skipped'; readonly count: number};

/** Edits beyond which two texts count as wholly different. */
const EDITS_MAX = 2_000;

export function diffLines(before: string, after: string): Exclude<DiffLine, {kind: 'skipped'}>[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const trace = editTrace(a, b);
  if (trace === undefined)
    return [
      ...a.map((text, i) => ({kind: 'removed' as const, text, before: i + 1})),
      ...b.map((text, i) => ({kind: 'added' as const, text, after: i + 1})),
    ];
  return walkBack(a, b, trace);
}

/** The furthest reach on each diagonal, before each edit; undefined when there are too many edits. */
function editTrace(a: readonly string[], b: readonly string[]): Map<number, number>[] | undefined {
  const reach = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let edits = 0; edits <= Math.min(a.length + b.length, EDITS_MAX); edits++) {
    trace.push(new Map(reach));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = stepOf(reach, diagonal, edits);
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      reach.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return trace;
    }
  }
  return undefined;
}

const isDown = (reach: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean =>
  diagonal === -edits || (diagonal !== edits && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1));
const stepOf = (reach: ReadonlyMap<number, number>, diagonal: number, edits: number): number =>
  isDown(reach, diagonal, edits) ? (reach.get(diagonal + 1) ?? 0) : (reach.get(diagonal - 1) ?? 0) + 1;

function walkBack(a: readonly string[], b: readonly string[], trace: readonly Map<number, number>[]) {
  const lines: Exclude<DiffLine, {kind: 'skipped'}>[] = [];
  let [x, y] = [a.length, b.length];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reach = trace[edits] as Map<number, number>;
    const diagonal = x - y;
    const down = isDown(reach, diagonal, edits);
    const from = down ? diagonal + 1 : diagonal - 1;
    const fromX = reach.get(from) ?? 0;
    const fromY = fromX - from;
    while (x > Math.max(fromX, 0) && y > Math.max(fromY, 0)) {
      lines.push({kind: 'same', text: a[x - 1] ?? '', before: x, after: y});
      x--;
      y--;
    }
    if (edits === 0) break;
    if (down) lines.push({kind: 'added', text: b[y - 1] ?? '', after: y});
    else lines.push({kind: 'removed', text: a[x - 1] ?? '', before: x});
    [x, y] = [fromX, fromY];
  }
  return lines.reverse();
}

/** Leaves `context` same lines around each change; the rest becomes a count. */
export function foldSame(lines: readonly DiffLine[], context = 3): DiffLine[] {
  const keep = new Set<number>();
  lines.forEach((line, at) => {
    if (line.kind === 'same' || line.kind === 'skipped') return;
    for (let i = at - context; i <= at + context; i++) keep.add(i);
  });
  const folded: DiffLine[] = [];
  let skipped = 0;
  const flush = (): void => {
    if (skipped > 0) folded.push({kind: 'skipped', count: skipped});
    skipped = 0;
  };
  lines.forEach((line, at) => {
    if (!keep.has(at)) {
      skipped++;
      return;
    }
    flush();
    folded.push(line);
  });
  flush();
  return folded;
}
