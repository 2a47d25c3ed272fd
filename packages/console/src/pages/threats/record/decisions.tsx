// SPDX-License-Identifier: Apache-2.0
/** What people decided about the threat, and the place for another comment. */
import type {ThreatMessage} from '@palisade/ids-wire';
import {type ReactNode, type Ref, useState} from 'react';
import {Badge, Button, Section, TextArea, Time} from '../../../ui/index.ts';
import {type HistoryEntry, historyOf} from './history.ts';
import css from './record.module.css';
import type {Decide} from './use-decide.ts';

const COMMENT_MAX = 4_000;
const BADGE: Readonly<Record<HistoryEntry['what'], ReactNode>> = {
  acknowledged: <Badge tone="ok">Acknowledged</Badge>,
  escalated: <Badge tone="bad">Escalated</Badge>,
  commented: <Badge>Comment</Badge>,
};

type DecisionsProps = {
  readonly threat: ThreatMessage;
  readonly decide: Decide;
  /** The shortcut for a comment goes there. */
  readonly field: Ref<HTMLTextAreaElement>;
};

export function Decisions({threat, decide, field}: DecisionsProps): ReactNode {
  const [comment, setComment] = useState('');
  const entries = historyOf(threat);
  const isEmpty = comment.trim() === '';
  const send = async (): Promise<void> => {
    if (await decide.run('comment', comment.trim())) setComment('');
  };
  return (
    <Section title="Decisions">
      <div className={css['stack']}>
        {entries.length === 0 ? (
          <p className="muted">No decisions about this threat yet.</p>
        ) : (
          <ol className={css['history']}>
            {entries.map((entry, at) => (
              <li key={at}>
                <div className={css['line']}>
                  {BADGE[entry.what]}
                  <strong className={css['user']}>{entry.user}</strong>
                  {entry.requestor !== undefined && <span className="muted">{`by ${entry.requestor}`}</span>}
                  <span className="muted">
                    <Time at={entry.time} />
                  </span>
                </div>
                {entry.text !== '' && <p className={css['comment']}>{entry.text}</p>}
              </li>
            ))}
          </ol>
        )}
        <TextArea
          ref={field}
          label="Comment"
          rows={3}
          maxLength={COMMENT_MAX}
          value={comment}
          onChange={event => setComment(event.target.value)}
          onKeyDown={event => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !isEmpty && decide.why === undefined)
              void send();
          }}
        />
        <div className={css['line']}>
          <Button
            busy={decide.busy === 'comment'}
            whyDisabled={decide.why ?? (isEmpty ? 'Write a comment first' : undefined)}
            onClick={() => void send()}
          >
            Add comment
          </Button>
          <span className="muted">
            <kbd>Ctrl</kbd> <kbd>Enter</kbd>
          </span>
        </div>
      </div>
    </Section>
  );
}
