// SPDX-License-Identifier: Apache-2.0
/** Conditions in SQL over a row `r` of `records` and `b` of `bodies`, with what they leave open. */
import type {SQLInputValue} from 'node:sqlite';

export type Condition = {
  /** `1`: every row; `0`: no row. */
  readonly sql: string;
  readonly params: readonly SQLInputValue[];
  /** True: it holds exactly for the records that match. False: it holds for them, and for others, too. */
  readonly exact: boolean;
  /** It looks into `b`. */
  readonly body: boolean;
};

export const ALL: Condition = {sql: '1', params: [], exact: true, body: false};
export const NO_ROW: Condition = {...ALL, sql: '0'};
/** Nothing is known: the predicate decides. */
export const ANY: Condition = {...ALL, exact: false};

export const exactly = (sql: string, ...params: SQLInputValue[]): Condition => ({
  sql,
  params,
  exact: true,
  body: false,
});
/** Holds at least for the records that match. */
export const atLeast = (sql: string, ...params: SQLInputValue[]): Condition => ({
  ...exactly(sql, ...params),
  exact: false,
});

const isConstant = ({sql}: Condition, value: '0' | '1'): boolean => sql === value;
const joined = (word: 'AND' | 'OR', parts: readonly Condition[], exact: boolean): Condition => ({
  sql: parts.map(({sql}) => `(${sql})`).join(` ${word} `),
  params: parts.flatMap(({params}) => params),
  exact,
  body: parts.some(({body}) => body),
});

export const both = (parts: readonly Condition[]): Condition => {
  if (parts.some(part => isConstant(part, '0'))) return NO_ROW;
  const exact = parts.every(part => part.exact);
  const open = parts.filter(part => !isConstant(part, '1'));
  const [only] = open;
  if (only === undefined) return exact ? ALL : ANY;
  return open.length === 1 ? {...only, exact} : joined('AND', open, exact);
};

export const either = (parts: readonly Condition[]): Condition => {
  const all = parts.find(part => isConstant(part, '1') && part.exact) ?? parts.find(part => isConstant(part, '1'));
  if (all !== undefined) return all;
  const open = parts.filter(part => !isConstant(part, '0'));
  const [only] = open;
  if (only === undefined) return NO_ROW;
  return open.length === 1
    ? only
    : joined(
        'OR',
        open,
        open.every(part => part.exact),
      );
};

/** A column without a value makes a comparison NULL, which is not true, and so its opposite is. */
export const opposite = (condition: Condition): Condition => {
  if (!condition.exact) return ANY;
  if (isConstant(condition, '1')) return NO_ROW;
  if (isConstant(condition, '0')) return ALL;
  return {...condition, sql: `(${condition.sql}) IS NOT TRUE`};
};
