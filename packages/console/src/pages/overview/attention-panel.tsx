// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {PageLink} from '../../routing/link.tsx';
import {Badge, Button, Loading, numberText, Section} from '../../ui/index.ts';
import {type Attention, firstOfEach} from './model/attention.ts';
import css from './overview.module.css';
import {Unread} from './panels.tsx';

/** Items of the whole list. */
const MOST = 200;
const LISTED = new Intl.ListFormat('en-GB', {type: 'conjunction'});

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

export type AttentionPanelProps = {
  readonly items: readonly Attention[];
  readonly parts: readonly LookedPart[];
  readonly isWhole: boolean;
  readonly onWhole: (isWhole: boolean) => void;
};

export function AttentionPanel({items, parts, isWhole, onWhole}: AttentionPanelProps): ReactNode {
  const looked = parts.filter(({isLoading, error}) => !isLoading && error === undefined);
  const unread = parts.filter(({error}) => error !== undefined);
  const lookedAt = LISTED.format(looked.map(({text}) => text));
  const first = firstOfEach(items);
  const shown = isWhole ? items.slice(0, MOST) : first;
  const isLoading = parts.some(part => part.isLoading && part.error === undefined);
  return (
    <Section title="Needs attention" actions={items.length > 0 && <Badge tone="bad">{numberText(items.length)}</Badge>}>
      {unread.map(({what, error = ''}) => (
        <Unread key={what} what={what} error={error} />
      ))}
      {items.length > 0 && (
        <ul className={css['items']} aria-label="Needs attention">
          {shown.map(({key, kind, tone, subject, text, to}) => (
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
      {isWhole && items.length > MOST && <p className="muted">and {numberText(items.length - MOST)} more</p>}
      {items.length > first.length && (
        <p className={css['more']}>
          <Button small onClick={() => onWhole(!isWhole)}>
            {isWhole ? 'Show fewer' : `Show all ${numberText(items.length)}`}
          </Button>
        </p>
      )}
      {items.length === 0 && isLoading && <Loading label="Checking" rows={4} />}
      {items.length === 0 && !isLoading && looked.length > 0 && (
        <p className={css['good']}>
          <Badge tone="ok">{unread.length === 0 ? 'All good' : 'Nothing found'}</Badge>
          <span>Looked at {lookedAt}.</span>
        </p>
      )}
      {items.length > 0 && looked.length > 0 && <p className={css['looked']}>Looked at {lookedAt}.</p>}
    </Section>
  );
}
