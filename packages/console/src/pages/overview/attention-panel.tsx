// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {PageLink} from '../../routing/link.tsx';
import {Badge, Loading, numberText, Section} from '../../ui/index.ts';
import type {Attention} from './model/attention.ts';
import css from './overview.module.css';
import {Unread} from './panels.tsx';

const SHOWN = 50;

const WORDS: Readonly<Record<Attention['kind'], string>> = {
  'sensor failed': 'Sensor',
  'no member ready': 'Down',
  'critical alerts': 'Threats',
  panic: 'Panic',
  loss: 'Loss',
  sensor: 'Sensor',
  group: 'Group',
  rules: 'Rules',
  checks: 'Checks',
  'partly ready': 'Endpoints',
  exporter: 'Exporter',
  deletion: 'Deletion',
};

/** One part of what was looked at. */
export type LookedPart = {
  /** `9 sets`. */
  readonly text: string;
  readonly what: string;
  readonly isLoading: boolean;
  readonly error: string | undefined;
};

export type AttentionPanelProps = {readonly items: readonly Attention[]; readonly parts: readonly LookedPart[]};

export function AttentionPanel({items, parts}: AttentionPanelProps): ReactNode {
  const looked = parts.filter(({isLoading, error}) => !isLoading && error === undefined);
  const unread = parts.filter(({error}) => error !== undefined);
  const isLoading = parts.some(part => part.isLoading && part.error === undefined);
  return (
    <Section title="Needs attention" actions={items.length > 0 && <Badge tone="bad">{numberText(items.length)}</Badge>}>
      {unread.map(({what, error = ''}) => (
        <Unread key={what} what={what} error={error} />
      ))}
      {items.length > 0 && (
        <ul className={css['items']} aria-label="Needs attention">
          {items.slice(0, SHOWN).map(({key, kind, tone, subject, text, to}) => (
            <li key={key}>
              <span className={css['kind']}>
                <Badge tone={tone}>{WORDS[kind]}</Badge>
              </span>
              <p>
                <PageLink to={to}>{subject}</PageLink> <span className={css['why']}>{text}</span>
              </p>
            </li>
          ))}
        </ul>
      )}
      {items.length > SHOWN && <p className="muted">and {numberText(items.length - SHOWN)} more</p>}
      {items.length === 0 && isLoading && <Loading label="Looking" rows={4} />}
      {items.length === 0 && !isLoading && looked.length > 0 && (
        <p className={css['good']}>
          <Badge tone="ok">{unread.length === 0 ? 'All good' : 'Nothing found'}</Badge> Looked at{' '}
          {looked.map(({text}) => text).join(', ')}.
        </p>
      )}
      {items.length > 0 && looked.length > 0 && (
        <p className={css['looked']}>Looked at {looked.map(({text}) => text).join(', ')}.</p>
      )}
    </Section>
  );
}
