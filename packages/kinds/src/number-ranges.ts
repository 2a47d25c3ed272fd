// SPDX-License-Identifier: Apache-2.0
import {childPath, type FieldError, invalid} from '@palisade/kube-wire';

/** Both ends included. */
type Ranges<K extends string> = Readonly<Record<K, readonly [least: number, most: number]>>;

/** Faults of numbers below `path`, in the order of `ranges`. A number that is absent has none. */
export const rangeFaults = <K extends string>(
  numbers: {readonly [field in NoInfer<K>]?: number},
  ranges: Ranges<K>,
  path: string,
): FieldError[] =>
  (Object.keys(ranges) as K[]).flatMap(field => {
    const [least, most] = ranges[field];
    const value = numbers[field];
    if (value === undefined || (least <= value && value <= most)) return [];
    return [invalid(childPath(path, field), value, `must be between ${least} and ${most}, inclusive`)];
  });
