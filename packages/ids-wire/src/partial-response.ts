// SPDX-License-Identifier: Apache-2.0
/**
 * The `fields` system parameter: a selection such as `endpoints(name,state),nextPageToken` or `endpoints/name`.
 * Names are taken in camelCase or snake_case; `*` is every member. What is selected and not there is left out.
 */

export const SELECTION_LENGTH_MAX = 4_096;

/** Member name → what is taken of it; `true`: all. */
export type Selection = ReadonlyMap<string, Selection | true>;

/** Undefined: the text is no selection. */
export const parseSelection = (text: string): Selection | undefined => {
  if (text.length > SELECTION_LENGTH_MAX || !/^[\w@*$.,/()\s-]+$/.test(text)) return undefined;
  const tokens = text.match(/[^\s,/().]+|[,/().]/g) ?? [];
  let at = 0;
  const list = (): Map<string, Selection | true> | undefined => {
    const members = new Map<string, Selection | true>();
    for (;;) {
      const item = member();
      if (item === undefined) return undefined;
      merge(members, item[0], item[1]);
      if (tokens[at] !== ',') return members;
      at += 1;
    }
  };
  const member = (): [string, Selection | true] | undefined => {
    const name = tokens[at];
    if (name === undefined || /^[,/().]$/.test(name)) return undefined;
    at += 1;
    const key = camelCase(name);
    const next = tokens[at];
    if (next === '/' || next === '.') {
      at += 1;
      const rest = member();
      return rest === undefined ? undefined : [key, new Map([rest])];
    }
    if (next !== '(') return [key, true];
    at += 1;
    const inner = list();
    if (inner === undefined || tokens[at] !== ')') return undefined;
    at += 1;
    return [key, inner];
  };
  const result = list();
  return at === tokens.length ? result : undefined;
};

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, c: string) => c.toUpperCase());

const merge = (into: Map<string, Selection | true>, name: string, selection: Selection | true): void => {
  const present = into.get(name);
  if (present === undefined) into.set(name, selection);
  else if (present === true || selection === true) into.set(name, true);
  else {
    const both = new Map(present);
    for (const [key, value] of selection) merge(both, key, value);
    into.set(name, both);
  }
};

/** A copy with only what is selected; lists are selected element by element. */
export const selectFields = (value: unknown, selection: Selection): unknown => {
  if (Array.isArray(value)) return value.map(element => selectFields(element, selection));
  if (typeof value !== 'object' || value === null) return value;
  const out: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const chosen = selection.get(camelCase(key)) ?? selection.get('*');
    if (chosen !== undefined) out[key] = chosen === true ? member : selectFields(member, chosen);
  }
  return out;
};
