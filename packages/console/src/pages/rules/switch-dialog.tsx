// SPDX-License-Identifier: Apache-2.0
/** Asks before rules are switched, shows that Suricata loads them, and what each Suricata reports afterwards. */
import type {RuleMessage, RuleSetUpdateMessage} from '@palisade/ids-wire';
import {useQueryClient} from '@tanstack/react-query';
import {type ReactNode, useState} from 'react';
import {errorText, useApi} from '../../api/index.ts';
import {shortEndpoint} from '../../records/row-field.ts';
import {Badge, Button, Dialog} from '../../ui/index.ts';
import css from './rules.module.css';
import {ACTION_WORD, meaningText, rulesText, type SwitchAction, switchTitle} from './rules-search.ts';

export type SwitchDialogProps = {
  readonly action: SwitchAction;
  /** Of one rule set. */
  readonly rules: readonly RuleMessage[];
  readonly onClose: (changed: boolean) => void;
};

type Phase =
  | {readonly at: 'asking' | 'working'}
  | {readonly at: 'done'; readonly sets: readonly RuleSetUpdateMessage[]}
  | {readonly at: 'failed'; readonly text: string};

const LISTED = 8;

const descriptionOf = (action: SwitchAction, count: number, {at}: Phase): string | undefined =>
  at === 'done' ? undefined : `${meaningText(action, count)} This applies to the endpoints of all projects.`;

export function SwitchDialog({action, rules, onClose}: SwitchDialogProps): ReactNode {
  const {ids} = useApi();
  const queries = useQueryClient();
  const [phase, setPhase] = useState<Phase>({at: 'asking'});
  const isBusy = phase.at === 'working';
  const first = rules[0];
  const apply = async (): Promise<void> => {
    if (first === undefined) return;
    setPhase({at: 'working'});
    try {
      const set = first.name.slice(0, first.name.indexOf('/rules/'));
      const answer = await ids.switchRules(set, {[action]: [...new Set(rules.map(({ruleId}) => ruleId))]});
      setPhase({at: 'done', sets: answer.ruleSets ?? []});
      for (const key of ['rule-sets', 'rules', 'rule']) void queries.invalidateQueries({queryKey: [key]});
    } catch (error) {
      setPhase({at: 'failed', text: errorText(error)});
    }
  };
  const close = (): void => onClose(phase.at === 'done');
  return (
    <Dialog
      open
      onOpenChange={open => !open && !isBusy && close()}
      title={switchTitle(action, rules.length, first?.ruleSet ?? '', phase.at === 'done')}
      description={descriptionOf(action, rules.length, phase)}
      actions={
        phase.at === 'done' ? (
          <Button kind="primary" onClick={close}>
            Close
          </Button>
        ) : (
          <>
            <Button whyDisabled={isBusy ? 'Suricata is loading the rules' : undefined} onClick={close}>
              Cancel
            </Button>
            <Button kind={action === 'disable' ? 'danger' : 'primary'} busy={isBusy} onClick={() => void apply()}>
              {ACTION_WORD[action]}
            </Button>
          </>
        )
      }
    >
      <ul className={css['named']}>
        {rules.slice(0, LISTED).map(({name, ruleId, msg}) => (
          <li key={name}>
            <span className="mono">{ruleId}</span> {msg}
          </li>
        ))}
        {rules.length > LISTED && <li className="muted">and {rulesText(rules.length - LISTED)} more</li>}
      </ul>
      <div role="status" className={css['result']}>
        {isBusy && (
          <>
            <progress aria-label="Loading the rules" className={css['progress']} />
            <span>Suricata verifies and loads the rules. Large rule sets take minutes.</span>
          </>
        )}
        {phase.at === 'done' && <Result sets={phase.sets} />}
      </div>
      {phase.at === 'failed' && (
        <p role="alert" className={css['failed']}>
          {phase.text}
        </p>
      )}
    </Dialog>
  );
}

function Result({sets}: {readonly sets: readonly RuleSetUpdateMessage[]}): ReactNode {
  return (
    <ul className={css['endpoints']}>
      {sets.map(set => (
        <li key={set.ruleSetId}>
          <b>
            {set.changed ? 'Done.' : 'Nothing changed.'} {rulesText(set.rulesActive)} loaded
          </b>
          {set.endpoints.length === 0 && <span className="muted">No sensor uses this rule set now</span>}
          {set.endpoints.map(({endpoint, status, rulesLoaded}) => (
            <span key={endpoint} className={css['endpoint']}>
              <span title={endpoint}>{shortEndpoint(endpoint)}</span>
              <Badge tone={status === 'READY' ? 'ok' : 'warn'}>{capital(status)}</Badge>
              <span className="num muted">{rulesText(rulesLoaded)}</span>
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}

/** `READY` as `Ready`. */
const capital = (word: string): string => word.slice(0, 1) + word.slice(1).toLowerCase();
