// SPDX-License-Identifier: Apache-2.0
import {Fragment, type ReactNode} from 'react';
import {cx} from '../class-names.ts';
import {CopyButton} from './copy-button.tsx';
import css from './data.module.css';

/** Names and values under each other; a value that is undefined is left out. */
export function KeyValueList({
  pairs,
}: {
  readonly pairs: readonly (readonly [name: string, value: ReactNode])[];
}): ReactNode {
  return (
    <dl className={css['pairs']}>
      {pairs.map(([name, value]) =>
        value === undefined ? null : (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ),
      )}
    </dl>
  );
}

export type CodeBlockProps = {
  readonly text: string;
  /** What it is: `YAML of default/web`. */
  readonly label: string;
  readonly copy?: boolean;
  readonly wrap?: boolean;
};

/** Preformatted text; the keyboard scrolls it too. */
export function CodeBlock({text, label, copy = true, wrap}: CodeBlockProps): ReactNode {
  return (
    <div className={css['code']}>
      <pre tabIndex={0} role="region" aria-label={label} className={cx(wrap && css['wrap'])}>
        <code>{text}</code>
      </pre>
      {copy && (
        <span className={css['codeCopy']}>
          <CopyButton text={text} label={`Copy ${label}`} />
        </span>
      )}
    </div>
  );
}
