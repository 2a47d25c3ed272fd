// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import css from './editor.module.css';

/** The warnings in the answer to a dry run, above the object that the server would store. */
export function Warnings({texts}: {readonly texts: readonly string[]}): ReactNode {
  if (texts.length === 0) return null;
  return (
    <div className={css['warnings']} role="status">
      <h3>{texts.length === 1 ? 'The server warns' : `The server has ${texts.length} warnings`}</h3>
      <ul>
        {texts.map(text => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}
