// SPDX-License-Identifier: Apache-2.0
import type {TriedExceptions} from '@palisade/ids-wire';
import {useQuery} from '@tanstack/react-query';
import {type FormEvent, type ReactNode, useState} from 'react';
import {errorText, useApi, usePermission} from '../../../api/index.ts';
import {Button, Section, TextInput, toast} from '../../../ui/index.ts';
import css from '../ids-endpoints.module.css';
import {triedText} from '../model/exceptions.ts';
import {parseExceptions} from '../model/form.ts';
import {exceptionsFault} from '../model/own-faults.ts';
import {useChange} from './use-change.ts';

/** Alerts that a preview looks at. */
const LAST = 1_000;

function useTried(name: string, threatExceptions: readonly string[]) {
  const {ids} = useApi();
  return useQuery<TriedExceptions>({
    queryKey: ['ids-try-exceptions', name, threatExceptions],
    queryFn: ({signal}) => ids.tryExceptions(name, {threatExceptions, last: LAST}, {signal}),
    enabled: threatExceptions.length > 0,
  });
}

export type AddExceptionProps = {readonly name: string; readonly exceptions: readonly string[]};

/** Adds exceptions, and says first what they would have hidden. */
export function AddException({name, exceptions}: AddExceptionProps): ReactNode {
  const [typed, setTyped] = useState('');
  const [isLeft, setLeft] = useState(false);
  const [state, change] = useChange(name);
  const right = usePermission(name, 'ids.endpoints.update');
  const added = parseExceptions(typed);
  const tried = useTried(name, added);
  const fault = exceptionsFault(added);
  const isRunning = state.phase === 'running';
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setLeft(true);
    if (added.length === 0 || fault !== undefined || isRunning || right.why !== undefined) return;
    if (!(await change({threatExceptions: [...new Set([...exceptions, ...added])]}))) return;
    toast('ok', added.length === 1 ? `Exception ${added[0]} added` : `${added.length} exceptions added`);
    setTyped('');
    setLeft(false);
  };
  return (
    <Section title="Add an exception">
      <form className={css['addException']} onSubmit={event => void submit(event)}>
        <TextInput
          label="Threat ID"
          placeholder="1:2019401"
          value={typed}
          onChange={event => setTyped(event.target.value)}
          onBlur={() => setLeft(true)}
          error={(isLeft ? fault : undefined) ?? (state.phase === 'failed' ? state.text : undefined)}
          hint={hintOf(added, tried.data, tried.error)}
        />
        <Button
          type="submit"
          kind="primary"
          busy={isRunning}
          whyDisabled={right.why ?? (added.length === 0 ? 'Enter a threat ID' : undefined)}
        >
          {isRunning ? 'Adding…' : 'Add exception'}
        </Button>
      </form>
    </Section>
  );
}

const hintOf = (added: readonly string[], tried: TriedExceptions | undefined, error: unknown): string => {
  if (added.length === 0)
    return 'gid:sid of a rule; separate several with commas. A preview shows how many alerts they would have hidden.';
  if (tried !== undefined) return triedText(tried);
  return error === null ? 'Looking at the last alerts…' : errorText(error);
};
