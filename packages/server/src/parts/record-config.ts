// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade serve` about records → RecordConfig, with every fault at once. */
import {
  BUDGETS,
  type Budget,
  type BudgetName,
  type Budgets,
  RECORD_BUDGETS_DEFAULT,
} from '@palisade/ids/record-budgets';
import {type ConfiguredExport, type ExportEntry, exportConfigOf} from './export-config.ts';
import {ageIn, bytesIn} from './units.ts';

export type EvidenceKind = 'none' | 'payload' | 'pcap';

export type RecordConfig = {
  readonly budgets: Budgets;
  /** 1 of so many flows is recorded. */
  readonly trafficSample: number;
  readonly evidence: EvidenceKind;
  readonly exports: readonly ConfiguredExport[];
};

type BudgetFlag = `${BudgetName}-${'bytes' | 'age'}`;
export type RecordFlags = {readonly [name in BudgetFlag | 'traffic-sample']: string | undefined} & {
  readonly evidence: string;
  readonly export: readonly string[];
};

/** A smaller budget could not hold two files, and so evicted all it has at once. */
const BYTES_LEAST = 16 * 2 ** 20;
const AGE_LEAST_MS = 60_000;

const budgetOf = (o: RecordFlags, name: BudgetName): {readonly budget: Budget; readonly faults: readonly string[]} => {
  const faults: string[] = [];
  const read = (
    flag: BudgetFlag,
    parse: (text: string) => number | undefined,
    form: string,
    least: {readonly value: number; readonly text: string},
  ): number | undefined => {
    const text = o[flag];
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) faults.push(`--${flag} ${text}: must be ${form}`);
    else if (value < least.value) faults.push(`--${flag} ${text}: must be ${least.text} or more`);
    return value;
  };
  const bytes = read(`${name}-bytes`, bytesIn, 'a size such as 2GiB', {value: BYTES_LEAST, text: '16MiB'});
  const ageMs = read(`${name}-age`, ageIn, 'a time such as 30d, 12h or 30m', {value: AGE_LEAST_MS, text: '1m'});
  const byDefault = RECORD_BUDGETS_DEFAULT[name];
  return {budget: {bytes: bytes ?? byDefault.bytes, ageMs: ageMs ?? byDefault.ageMs}, faults};
};

/** `faults`: one line each. */
export const recordConfigOf = (
  o: RecordFlags,
  entries: readonly ExportEntry[],
  cwd: string,
): {readonly records: RecordConfig; readonly faults: readonly string[]} => {
  const budgets = BUDGETS.map(name => [name, budgetOf(o, name)] as const);
  const faults = budgets.flatMap(([, {faults: of}]) => of);
  const {exports, faults: exportFaults} = exportConfigOf(o.export, entries, cwd);
  faults.push(...exportFaults);
  const sample = Number(o['traffic-sample'] ?? 1);
  if (!(Number.isSafeInteger(sample) && sample >= 1))
    faults.push(`--traffic-sample ${o['traffic-sample']}: must be a whole number from 1, such as 10 for 1 of 10 flows`);
  return {
    records: {
      budgets: Object.fromEntries(budgets.map(([name, {budget}]) => [name, budget])) as Budgets,
      trafficSample: sample,
      evidence: o.evidence as EvidenceKind,
      exports,
    },
    faults,
  };
};
