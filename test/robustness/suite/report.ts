// SPDX-License-Identifier: Apache-2.0
/** What a run did and found, for people. */
import {FAULT_KINDS} from './faults.ts';
import type {LifeResult} from './life.ts';

const FAULTS_SHOWN = 5;

type Sums = Map<string, number>;
const add = (sums: Sums, name: string, count: number): void => void sums.set(name, (sums.get(name) ?? 0) + count);

export class Report {
  readonly #seeds = new Map<string, number[]>();
  readonly #counts = new Map<string, Sums>();
  readonly #tried = new Map<string, Sums>();
  readonly #struck = new Map<string, Sums>();
  readonly #violations: Sums = new Map();
  readonly #found: LifeResult[] = [];

  add(life: LifeResult): void {
    const {subject, seed, counts, faults, violations, starts} = life;
    this.#seeds.set(subject, [...(this.#seeds.get(subject) ?? []), seed]);
    const sums = this.#of(this.#counts, subject);
    for (const [name, count] of Object.entries({...counts, starts})) add(sums, name, count);
    for (const [kind, {tried, struck}] of faults) {
      add(this.#of(this.#tried, subject), kind, tried);
      add(this.#of(this.#struck, subject), kind, struck);
    }
    for (const [name, list] of Object.entries(violations)) add(this.#violations, name, list.length);
    if (isViolated(life)) this.#found.push(life);
  }

  get isClean(): boolean {
    return this.#found.length === 0;
  }

  /** One table: a column for each subject. */
  table(): string {
    const subjects = [...this.#seeds.keys()];
    const row = (name: string, cell: (subject: string) => string): string[] => [name, ...subjects.map(cell)];
    const countNames = [...new Set(subjects.flatMap(subject => [...this.#of(this.#counts, subject).keys()]))];
    const kinds = FAULT_KINDS.filter(kind => subjects.some(subject => this.#of(this.#tried, subject).has(kind)));
    const rows = [
      row('', subject => subject),
      row('lives (seeds)', subject => `${this.#seeds.get(subject)?.length ?? 0}`),
      ...countNames.map(name => row(name, subject => `${this.#of(this.#counts, subject).get(name) ?? '-'}`)),
      row('faults: tried (struck)', () => ''),
      ...kinds.map(kind =>
        row(`  ${kind}`, subject => {
          const tried = this.#of(this.#tried, subject).get(kind);
          return tried === undefined ? '-' : `${tried} (${this.#of(this.#struck, subject).get(kind) ?? 0})`;
        }),
      ),
    ];
    const widths = rows[0]?.map((_, i) => Math.max(...rows.map(cells => cells[i]?.length ?? 0))) ?? [];
    const lines = rows.map(cells =>
      cells
        .map((cell, i) => pad(cell, i, widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    );
    const violations = [...this.#violations].map(([name, count]) => `  ${name.padEnd(16)} ${count}`);
    return [...lines, 'violations', ...violations, ...this.#found.map(repeat)].join('\n');
  }

  #of(map: Map<string, Sums>, subject: string): Sums {
    const sums = map.get(subject) ?? new Map<string, number>();
    map.set(subject, sums);
    return sums;
  }
}

const pad = (cell: string, column: number, width: number): string =>
  column === 0 ? cell.padEnd(width) : cell.padStart(width);

export const isViolated = ({violations}: LifeResult): boolean =>
  Object.values(violations).some(list => list.length > 0);

const repeat = ({subject, seed, kept}: LifeResult): string =>
  `  repeat: PALISADE_SEED=${seed} node test/robustness/suite/soak.ts --subject ${subject}   data folder: ${kept}`;

/** A line for each life; with violations, what was done and what was found. */
export function linesOf(life: LifeResult): string {
  const {subject, seed, counts, starts, violations, story} = life;
  const shown = Object.entries({...counts, starts}).map(([name, count]) => `${name} ${count}`);
  const found = Object.entries(violations).filter(([, list]) => list.length > 0);
  const head = `${subject} PALISADE_SEED=${seed}: ${shown.join(', ')}; ${found.length === 0 ? '0 violations' : 'VIOLATED'}`;
  if (found.length === 0) return head;
  const faults = found.flatMap(([name, list]) => [
    `  ${name}: ${list.length}`,
    ...list.slice(0, FAULTS_SHOWN).map(fault => `    ${fault}`),
  ]);
  return [head, ...story.map(line => `  ${line}`), ...faults, repeat(life)].join('\n');
}
