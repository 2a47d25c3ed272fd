// SPDX-License-Identifier: Apache-2.0
/** A list of faults of inputs, each with its property path. Unknowns are skipped. */
import {isGiven, stringAt} from '../../property-access.ts';
import {formatPropertyPath, type PropertyPath} from '../../property-path.ts';
import type {CheckFailure} from '../../provider.ts';
import type {PropertyMap} from '../../value.ts';

/** What is wrong with a text; empty when nothing is. */
export type Rule = (text: string) => readonly string[];

export class Faults {
  readonly list: CheckFailure[] = [];

  add(path: PropertyPath, reason: string): void {
    this.list.push({property: formatPropertyPath(path), reason});
  }

  /** Applies a rule to a known, non-empty string. */
  text(map: PropertyMap, key: string, at: PropertyPath, rule: Rule): void {
    const value = stringAt(map, key);
    if (value !== undefined) this.value([...at, key], value, rule);
  }

  value(path: PropertyPath, value: string, rule: Rule): void {
    for (const reason of rule(value)) this.add(path, `invalid value ${JSON.stringify(value)}: ${reason}`);
  }

  require(map: PropertyMap, key: string, at: PropertyPath): boolean {
    if (isGiven(map, key)) return true;
    this.add([...at, key], 'required value');
    return false;
  }
}
