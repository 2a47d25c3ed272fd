// SPDX-License-Identifier: Apache-2.0
import {useCallback, useEffect, useMemo, useRef, useState} from 'react';

/** More names make an address that cannot be sent to a colleague. */
const MARKS_IN_ADDRESS = 40;

type Named = {readonly name: string};

export type Marks = {
  readonly names: ReadonlySet<string>;
  readonly has: (row: Named) => boolean;
  /** `isRange`: all from the one that was marked last, as with the Shift key. */
  readonly toggle: (row: Named, isRange?: boolean) => void;
  readonly set: (names: readonly string[]) => void;
};

/** The selected rows; few of them are in the address. `inAddress` and `write`: the field of the search. */
export function useMarks(
  rows: readonly Named[],
  inAddress: readonly string[],
  write: (names: readonly string[]) => void,
): Marks {
  const [names, setNames] = useState<ReadonlySet<string>>(() => new Set(inAddress));
  const written = useRef(inAddress.join('\n'));
  const last = useRef('');
  const latest = useRef({rows, names, write});
  latest.current = {rows, names, write};
  useEffect(() => {
    const now = inAddress.join('\n');
    if (now === written.current) return; // else: back and forward in the browser
    written.current = now;
    setNames(new Set(inAddress));
  }, [inAddress]);
  const set = useCallback((next: readonly string[]) => {
    const shown = next.length > MARKS_IN_ADDRESS ? [] : next;
    setNames(new Set(next));
    if (written.current === shown.join('\n')) return;
    written.current = shown.join('\n');
    latest.current.write(shown);
  }, []);
  const toggle = useCallback(
    ({name}: Named, isRange = false) => {
      const {rows: all, names: before} = latest.current;
      const next = new Set(before);
      const [from, to] = [last.current, name].map(wanted => all.findIndex(row => row.name === wanted));
      last.current = name;
      if (isRange && from !== undefined && to !== undefined && from >= 0 && to >= 0)
        for (const row of all.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(row.name);
      else if (!next.delete(name)) next.add(name);
      set([...next]);
    },
    [set],
  );
  return useMemo(() => ({names, has: row => names.has(row.name), toggle, set}), [names, toggle, set]);
}
