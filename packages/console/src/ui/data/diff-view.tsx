// SPDX-License-Identifier: Apache-2.0
import {type ReactNode, useMemo} from 'react';
import {cx} from '../class-names.ts';
import css from './data.module.css';
import {diffLines, foldSame} from './line-diff.ts';
import {countText} from './number-text.ts';

const SIGN = {same: ' ', added: '+', removed: '−', skipped: '⋯'} as const;

/** What a change does to a text, line by line: signs and colours; `label` says of what. */
export function DiffView({
  before,
  after,
  label,
}: {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}): ReactNode {
  const lines = useMemo(() => foldSame(diffLines(before, after)), [before, after]);
  if (before === after) return <p className="muted">Nothing changes.</p>;
  return (
    <div className={css['diff']} role="region" aria-label={label} tabIndex={0}>
      {lines.map((line, at) => (
        <div key={at} className={cx(css['diffLine'], css[`diff-${line.kind}`])}>
          <span className={css['diffNumber']}>{line.kind === 'skipped' ? '' : line.before}</span>
          <span className={css['diffNumber']}>{line.kind === 'skipped' ? '' : line.after}</span>
          <span className={css['diffSign']}>{SIGN[line.kind]}</span>
          <span>
            {line.kind === 'skipped' ? countText(line.count, 'unchanged line', 'unchanged lines') : line.text}
          </span>
        </div>
      ))}
    </div>
  );
}
