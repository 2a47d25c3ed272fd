// SPDX-License-Identifier: Apache-2.0
/** One JSON line per figure, and medians over rounds. */

export type Figure = {readonly name: string; readonly unit: string; readonly value: number; readonly n?: number};

/** Throws if the value is not a number: nothing was measured, and JSON would have null. */
export const printFigure = (figure: Figure): void => {
  if (!Number.isFinite(figure.value)) throw new Error(`${figure.name}: ${figure.value} ${figure.unit} is not a number`);
  console.log(JSON.stringify(figure));
};

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const mid = sorted.length >> 1;
  return sorted.length === 0
    ? Number.NaN
    : sorted.length % 2 === 1
      ? (sorted[mid] as number)
      : ((sorted[mid - 1] as number) + (sorted[mid] as number)) / 2;
};

export const percentile = (values: readonly number[], p: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))] ?? Number.NaN;
