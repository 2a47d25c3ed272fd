// SPDX-License-Identifier: Apache-2.0
import type {ThreatMessage} from '@palisade/ids-wire';
import type {ReactNode} from 'react';
import {usePermission} from '../../../api/index.ts';
import {links} from '../../../links.ts';
import {PageLink} from '../../../routing/link.tsx';
import {parseQuery} from '../../../routing/search.ts';
import {Badge, Button, countText, PageHeader, SeverityBadge, Time} from '../../../ui/index.ts';
import {ACTION_WORDS} from '../decide/decide.ts';
import {STATE_WORD, stateOf} from '../model/threat-row.ts';
import {exactTime} from './fields.tsx';
import type {Neighbours} from './neighbours.ts';
import css from './record.module.css';
import type {Decide} from './use-decide.ts';

const TONE = {open: 'neutral', acknowledged: 'ok', escalated: 'bad'} as const;

type HeaderProps = {
  readonly threat: ThreatMessage;
  readonly back: string;
  readonly neighbours: Neighbours;
  readonly decide: Decide;
  readonly onException: () => void;
};

export function Header({threat, back, neighbours, decide, onException}: HeaderProps): ReactNode {
  const count = Number(threat.repeat_count);
  return (
    <>
      <PageHeader
        title={threat.name}
        trail={<PageLink to={links.threats(parseQuery(back))}>← Threats</PageLink>}
        aside={<Badge tone={TONE[stateOf(threat)]}>{STATE_WORD[stateOf(threat)]}</Badge>}
        actions={<Steps {...{neighbours, back}} />}
      />
      <div className={css['sub']}>
        <div className={css['line']}>
          <SeverityBadge severity={threat.alert_severity} />
          <span className="num">{countText(count, 'alert')}</span>
          <span className="muted num">{exactTime(threat.event_time)}</span>
          <span className="muted">
            (<Time at={threat.event_time} />)
          </span>
        </div>
        <Actions {...{threat, decide, onException}} />
      </div>
    </>
  );
}

/** Both always have their place, so that a second click lands on the same one. */
function Steps({neighbours, back}: Pick<HeaderProps, 'neighbours' | 'back'>): ReactNode {
  const step = (name: string | undefined, label: string, key: string): ReactNode =>
    name === undefined ? (
      <span className={css['step']} aria-disabled="true">
        {label}
      </span>
    ) : (
      <PageLink className={css['step']} to={links.threat(name, {back})} aria-keyshortcuts={key} title={`Key ${key}`}>
        {label}
      </PageLink>
    );
  return (
    <nav className={css['steps']} aria-label="Threats of the list">
      {step(neighbours.newer, '↑ Newer', 'k')}
      {step(neighbours.older, '↓ Older', 'j')}
    </nav>
  );
}

function Actions({threat, decide, onException}: Pick<HeaderProps, 'threat' | 'decide' | 'onException'>): ReactNode {
  const acknowledge = threat.acknowledged === true ? 'unacknowledge' : 'acknowledge';
  const except = usePermission(threat.endpoint, 'ids.endpoints.update');
  const escalate = threat.escalated === true ? 'deescalate' : 'escalate';
  return (
    <div className={css['actions']}>
      <Button
        kind={acknowledge === 'acknowledge' ? 'primary' : 'default'}
        busy={decide.busy === acknowledge}
        whyDisabled={decide.why}
        aria-keyshortcuts="a"
        onClick={() => void decide.run(acknowledge)}
      >
        {ACTION_WORDS[acknowledge].does}
      </Button>
      <Button
        busy={decide.busy === escalate}
        whyDisabled={decide.why}
        aria-keyshortcuts="e"
        onClick={() => void decide.run(escalate)}
      >
        {ACTION_WORDS[escalate].does}
      </Button>
      <Button whyDisabled={except.why} aria-keyshortcuts="x" onClick={onException}>
        Make an exception
      </Button>
    </div>
  );
}
