// SPDX-License-Identifier: Apache-2.0
import {type FoundObject, objectText} from '@palisade/client/browser';
import type {ReactNode} from 'react';
import css from '../set.module.css';

/** Objects, one a line. */
export function FoundList({
  objects,
  more,
}: {
  readonly objects: readonly FoundObject[];
  /** How many there are beyond these. */
  readonly more: number;
}): ReactNode {
  return (
    <ul className={css['found']} tabIndex={0} aria-label="Objects">
      {objects.map(object => (
        <li key={`${object.resource}/${object.namespace}/${object.name}`}>{objectText(object)}</li>
      ))}
      {more > 0 && <li>and {more} more</li>}
    </ul>
  );
}
