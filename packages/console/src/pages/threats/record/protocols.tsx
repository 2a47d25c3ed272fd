// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {EventFields} from '../../../records/event-fields.tsx';
import {numberText, Section} from '../../../ui/index.ts';
import type {ProtocolBlock} from './protocol.ts';
import css from './record.module.css';

/** HTTP, DNS, TLS and what else Suricata read; one section each. */
export function Protocols({blocks}: {readonly blocks: readonly ProtocolBlock[]}): ReactNode {
  return blocks.map(({id, title, summary, rows, more}) => (
    <Section key={id} title={title}>
      <div className={css['stack']}>
        {summary !== '' && <p className={css['summary']}>{summary}</p>}
        <div className={css['protocol']}>
          <EventFields rows={rows} />
        </div>
        {more > 0 && <p className="muted">{`${numberText(more)} more fields are in the event below.`}</p>}
      </div>
    </Section>
  ));
}
