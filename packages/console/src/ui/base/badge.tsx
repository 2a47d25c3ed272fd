// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {cx} from '../class-names.ts';
import css from './badge.module.css';

export type Tone = 'neutral' | 'ok' | 'warn' | 'bad' | 'accent';

/** Shows the state without the colour. */
const SIGN: Readonly<Record<Tone, string>> = {neutral: '', ok: '✓', warn: '!', bad: '✕', accent: ''};

export type BadgeProps = {
  readonly tone?: Tone;
  readonly children: ReactNode;
  readonly plain?: boolean;
  readonly short?: boolean;
  readonly title?: string;
};

/** `plain`: without its sign, such as a count. `short`: the sign alone, with the word for screen readers. */
export function Badge({tone = 'neutral', plain, short, title, children}: BadgeProps): ReactNode {
  const sign = plain ? '' : short ? SIGN[tone] || '–' : SIGN[tone];
  return (
    <span className={cx(css['badge'], css[tone])} title={title}>
      {sign !== '' && <span aria-hidden="true">{sign}</span>}
      {short ? <span className="sr-only">{children}</span> : children}
    </span>
  );
}

export const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFORMATIONAL'] as const;
export type Severity = (typeof SEVERITIES)[number];
const WORD: Readonly<Record<Severity, string>> = {
  CRITICAL: 'Critical',
  HIGH: 'High',
  MEDIUM: 'Medium',
  LOW: 'Low',
  INFORMATIONAL: 'Info',
};
/** Names of colour tokens. */
export const SEVERITY_TOKEN: Readonly<Record<Severity, string>> = {
  CRITICAL: '--sev-critical',
  HIGH: '--sev-high',
  MEDIUM: '--sev-medium',
  LOW: '--sev-low',
  INFORMATIONAL: '--sev-info',
};
export const severityWord = (severity: string): string => WORD[severity as Severity] ?? severity.toLowerCase();

/** A coloured tile with the first letter, and the word; `short`: the tile alone, with the word for screen readers. */
export function SeverityBadge({severity, short}: {readonly severity: string; readonly short?: boolean}): ReactNode {
  const known = SEVERITIES.find(one => one === severity);
  const word = severityWord(severity);
  return (
    <span className={css['severity']} title={short ? word : undefined}>
      <span className={cx(css['tile'], css[`sev${known ?? 'INFORMATIONAL'}`])} aria-hidden="true">
        {word.slice(0, 1).toUpperCase()}
      </span>
      <span className={short ? 'sr-only' : undefined}>{word}</span>
    </span>
  );
}
