// SPDX-License-Identifier: Apache-2.0
/** PALISADE_SOAK=1: the robustness suite finds each record store that is broken on purpose. Its lives of a sound one: suite/suite.test.ts. */
import {randomInt} from 'node:crypto';
import {rmSync} from 'node:fs';
import {expect, test} from 'vitest';
import type {Round} from '../suite/faults.ts';
import {type LifeResult, runLife} from '../suite/life.ts';
import {BREAKS} from './subject/lines.ts';
import {recordsSubject} from './subject/records-subject.ts';

const SEED = Number(process.env['PALISADE_SEED'] ?? randomInt(1_000_000));
const round = (end: Round['end'], ...during: Round['during']): Round => ({during, end, damage: undefined});
const found = ({violations}: LifeResult): string[] =>
  Object.entries(violations).flatMap(([name, list]) => (list.length > 0 ? name : []));

test.runIf(process.env['PALISADE_SOAK'] === '1').each(BREAKS)(
  `48-1 a record store that %s is found (seed ${SEED})`,
  async broken => {
    const script = [round('kill'), round('kill'), round('kill')];
    let caught: string[] = [];
    for (let seed = SEED; caught.length === 0 && seed < SEED + 5; seed++) {
      const life = await runLife(recordsSubject({broken}), seed, {rounds: script.length, script});
      caught = found(life);
      if (life.kept !== undefined) rmSync(life.kept, {recursive: true});
    }
    expect(caught.length).toBeGreaterThan(0);
  },
  600_000,
);
