// SPDX-License-Identifier: Apache-2.0
/** Threat exceptions: what they are of, whether they match a rule, and adding and removing them. */
import type {IdsEndpoint} from '@palisade/client/browser';
import type {RuleMessage} from '@palisade/ids-wire';
import {useQuery} from '@tanstack/react-query';
import {type ReactNode, useState} from 'react';
import {useApi, usePermission} from '../../../api/index.ts';
import {links} from '../../../links.ts';
import {PageLink} from '../../../routing/link.tsx';
import {Badge, Button, countText, Dialog, EmptyState, Section, SeverityBadge, toast} from '../../../ui/index.ts';
import css from '../ids-endpoints.module.css';
import {fullThreatId, ruleIdsFilter, ruleSetOf} from '../model/rules.ts';
import {useHealth} from '../queries.ts';
import {AddException} from './add-exception.tsx';
import {useChange} from './use-change.ts';

type Props = {readonly name: string; readonly endpoint: IdsEndpoint};

function useRulesOf(name: string, ruleSet: string | undefined, exceptions: readonly string[]) {
  const {ids} = useApi();
  const filter = ruleIdsFilter(exceptions);
  return useQuery({
    queryKey: ['ids-exception-rules', name, ruleSet, filter],
    queryFn: async ({signal}) =>
      (await ids.listRules(ruleSetOf(name, ruleSet ?? ''), {filter, pageSize: 200, signal})).rules ?? [],
    enabled: filter !== undefined && ruleSet !== undefined,
  });
}

export function ExceptionsTab({name, endpoint}: Props): ReactNode {
  const exceptions = endpoint.threatExceptions ?? [];
  const {data: health} = useHealth(name);
  const {data: rules = []} = useRulesOf(name, health?.ruleSet, exceptions);
  const [removed, setRemoved] = useState<string>();
  const update = usePermission(name, 'ids.endpoints.update');
  return (
    <div className={css['overview']}>
      <AddException name={name} exceptions={exceptions} />
      <Section
        title="Threat exceptions"
        actions={
          health?.alerts !== undefined && (
            <span className="muted num">{countText(health.alerts.excepted, 'alert')} hidden until now</span>
          )
        }
      >
        {exceptions.length === 0 ? (
          <EmptyState
            title="There are no exceptions"
            text="Alerts of a threat with an exception are not stored. Add an exception above, or from a threat."
            action={<PageLink to={links.threats({in: name, group: 'threat'})}>Threats of this endpoint</PageLink>}
          />
        ) : (
          <ul className={css['exceptions']}>
            {exceptions.map(exception => (
              <Exception
                key={exception}
                {...{name, exception}}
                rule={rules.find(({ruleId}) => ruleId === fullThreatId(exception))}
                isIdle={health?.unknownExceptions?.includes(exception) ?? false}
                why={update.why}
                onRemove={() => setRemoved(exception)}
              />
            ))}
          </ul>
        )}
      </Section>
      {removed !== undefined && (
        <RemoveDialog {...{name, exceptions, exception: removed}} onClose={() => setRemoved(undefined)} />
      )}
    </div>
  );
}

type ExceptionProps = {
  readonly name: string;
  readonly exception: string;
  readonly rule: RuleMessage | undefined;
  /** It matches no loaded rule. */
  readonly isIdle: boolean;
  readonly why: string | undefined;
  readonly onRemove: () => void;
};

function Exception({name, exception, rule, isIdle, why, onRemove}: ExceptionProps): ReactNode {
  const id = fullThreatId(exception);
  return (
    <li>
      <div className={css['exception']}>
        <strong className="num">{exception}</strong>
        {rule !== undefined && <SeverityBadge severity={rule.severity} />}
        {isIdle && <Badge tone="warn">Matches no loaded rule</Badge>}
        <p>{rule?.msg}</p>
      </div>
      <div className={css['exceptionLinks']}>
        {id !== undefined && (
          <>
            <PageLink to={links.threats({in: name, range: '7d', q: `threat_id="${id}"`})}>Show threats</PageLink>
            <PageLink to={links.rules({q: id})}>Show rule</PageLink>
          </>
        )}
        <Button small whyDisabled={why} onClick={onRemove} aria-label={`Remove exception ${exception}`}>
          Remove
        </Button>
      </div>
    </li>
  );
}

type RemoveProps = {
  readonly name: string;
  readonly exceptions: readonly string[];
  readonly exception: string;
  readonly onClose: () => void;
};

function RemoveDialog({name, exceptions, exception, onClose}: RemoveProps): ReactNode {
  const [state, change] = useChange(name);
  const isRunning = state.phase === 'running';
  const remove = async (): Promise<void> => {
    if (!(await change({threatExceptions: exceptions.filter(one => one !== exception)}))) return;
    toast('ok', `Exception ${exception} removed`);
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Remove exception ${exception}?`}
      description={`Alerts of ${exception} at ${name.split('/').at(-1)} are stored again from now on.`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" busy={isRunning} onClick={() => void remove()}>
            Remove exception
          </Button>
        </>
      }
    >
      {state.phase === 'failed' ? (
        <p role="alert" className={css['fault']}>
          {state.text}
        </p>
      ) : (
        <p className="muted">{isRunning ? state.text : 'Alerts that it has hidden are not restored.'}</p>
      )}
    </Dialog>
  );
}
