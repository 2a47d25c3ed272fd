// SPDX-License-Identifier: Apache-2.0
import type {IdsEndpoint} from '@palisade/client/browser';
import {type FormEvent, type ReactNode, useEffect, useRef, useState} from 'react';
import {usePermission} from '../../../api/index.ts';
import {Button, toast} from '../../../ui/index.ts';
import css from '../ids-endpoints.module.css';
import {useChange} from './use-change.ts';

export type InlineEditProps<T> = {
  readonly name: string;
  /** What is changed: `Severity`. */
  readonly label: string;
  readonly value: T;
  /** The current value. */
  readonly shown: ReactNode;
  readonly editor: (draft: T, change: (draft: T) => void) => ReactNode;
  readonly toPatch: (draft: T) => IdsEndpoint;
};

/** The page shows the field already: `endpoint.labels: …` loses its name. */
const withoutField = (text: string): string => text.replaceAll(/^endpoint\.[\w.]+: /gm, '');

/** A value, its editor in the same place, and what became of the change. A failed change leaves the old value. */
export function InlineEdit<T>({name, label, value, shown, editor, toPatch}: InlineEditProps<T>): ReactNode {
  const right = usePermission(name, 'ids.endpoints.update');
  const [draft, setDraft] = useState<{readonly of: T} | undefined>();
  const [state, change] = useChange(name);
  const form = useRef<HTMLFormElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const isOpen = draft !== undefined;
  const wasOpen = useRef(false);
  useEffect(() => {
    if (isOpen) form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    else if (wasOpen.current) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const isRunning = state.phase === 'running';
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (draft === undefined || isRunning) return;
    if (!(await change(toPatch(draft.of)))) return;
    setDraft(undefined);
    toast('ok', `${label} changed`);
  };
  if (draft === undefined)
    return (
      <div className={css['inline']}>
        <div className={css['inlineValue']}>{shown}</div>
        <Button
          ref={opener}
          small
          kind="quiet"
          aria-label={`Change ${label.toLowerCase()}`}
          whyDisabled={right.why}
          onClick={() => setDraft({of: value})}
        >
          Change
        </Button>
      </div>
    );
  return (
    <form
      ref={form}
      className={css['inlineForm']}
      onSubmit={event => void submit(event)}
      onKeyDown={event => {
        if (event.key === 'Escape' && !isRunning) setDraft(undefined);
      }}
    >
      {editor(draft.of, of => setDraft({of}))}
      <div className={css['inlineActions']}>
        <Button kind="primary" small type="submit" busy={isRunning}>
          {isRunning ? 'Saving…' : 'Save'}
        </Button>
        <Button small busy={isRunning} onClick={() => setDraft(undefined)}>
          Cancel
        </Button>
        <span role="status" className="muted">
          {isRunning ? state.text : ''}
        </span>
      </div>
      {state.phase === 'failed' && (
        <p role="alert" className={css['fault']}>
          {withoutField(state.text)}
          {'\n'}The old value is still in force.
        </p>
      )}
    </form>
  );
}
