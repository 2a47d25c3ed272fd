// SPDX-License-Identifier: Apache-2.0
/** Asks before a decision: about how many threats, with which comment; then shows its progress and its result. */
import type {ThreatAction} from '@palisade/client/browser';
import {useQuery} from '@tanstack/react-query';
import {type FormEvent, type ReactNode, useEffect, useId, useRef, useState} from 'react';
import {errorText, useApi} from '../../../api/index.ts';
import {scopeText} from '../../../scope/scope.ts';
import {Button, Dialog, Skeleton, TextArea, Time, toast} from '../../../ui/index.ts';
import type {Threat} from '../model/threat-row.ts';
import css from './decide.module.css';
import {decideEach, doneText, failedText, matchText, type Progress, titleText} from './decide.ts';
import type {DecisionTarget} from './target.ts';

export type DecideDialogProps = {
  readonly action: ThreatAction;
  readonly target: DecisionTarget;
  readonly onDecided: (threat: Threat) => void;
  /** `changed`: something was decided. */
  readonly onClose: (changed: boolean) => void;
};

type Phase = {readonly at: 'asking' | 'working'} | {readonly at: 'failed'; readonly text: string};

/** What the batch would do, without doing it. */
function useCount(action: ThreatAction, target: DecisionTarget) {
  const {ids} = useApi();
  return useQuery({
    queryKey: ['threat-decision', action, target],
    enabled: !('names' in target),
    staleTime: 0,
    gcTime: 0,
    queryFn: ({signal}) => {
      if ('names' in target) return {matched: target.names.length, changed: target.names.length};
      const {scope, filter, bounds} = target;
      // The comment is entered later; any text will do to count.
      const comment = action === 'comment' ? {comment: 'count'} : {};
      return ids.decideThreats(scope, action, {filter, ...bounds, ...comment, validateOnly: true}, {signal});
    },
  });
}

/** Decides when asked to; `stop` ends what can be ended: one decision after the other. */
function useDecision({action, target, onDecided, onClose}: DecideDialogProps) {
  const {ids} = useApi();
  const control = useRef(new AbortController());
  const [phase, setPhase] = useState<Phase>({at: 'asking'});
  const [progress, setProgress] = useState<Progress>({done: 0, failures: []});
  useEffect(() => () => control.current.abort(), []);
  const each = async (names: readonly string[], comment: string | undefined, signal: AbortSignal): Promise<void> => {
    const options = {signal, onDecided, onProgress: setProgress};
    const {done, failures} = await decideEach(ids, {names, action, comment}, options);
    if (failures.length > 0) return setPhase({at: 'failed', text: failedText(done, failures)});
    if (signal.aborted) toast('plain', `Stopped: ${doneText(action, done, done)}`);
    else toast('ok', doneText(action, done, done));
    onClose(true);
  };
  const decide = async (typed: string): Promise<void> => {
    control.current = new AbortController();
    const {signal} = control.current;
    const comment = typed.trim() === '' ? undefined : typed.trim();
    setPhase({at: 'working'});
    try {
      if ('names' in target) return await each(target.names, comment, signal);
      const {scope, filter, bounds} = target;
      const answer = await ids.decideThreats(scope, action, {filter, ...bounds, comment}, {signal});
      toast('ok', doneText(action, answer.changed, answer.matched));
      onClose(true);
    } catch (error) {
      if (!signal.aborted) setPhase({at: 'failed', text: errorText(error)});
    }
  };
  return {phase, progress, decide, stop: () => control.current.abort()};
}

export function DecideDialog(props: DecideDialogProps): ReactNode {
  const {action, target, onClose} = props;
  const formId = useId();
  const [comment, setComment] = useState('');
  const {phase, progress, decide, stop} = useDecision(props);
  const counted = useCount(action, target);
  const isEach = 'names' in target;
  const matched = isEach ? target.names.length : counted.data?.matched;
  const isBusy = phase.at === 'working';
  const why = counted.isError ? 'The number of threats is not known' : whyNot(action, matched, comment);
  const close = (): void => {
    if (isBusy) stop();
    if (!isBusy || !isEach) onClose(isBusy || progress.done > 0);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isBusy && why === undefined) void decide(comment);
  };
  return (
    <Dialog
      open
      onOpenChange={open => !open && close()}
      title={titleText(action, matched)}
      actions={
        <>
          <Button onClick={close}>{isBusy ? 'Stop' : phase.at === 'failed' ? 'Close' : 'Cancel'}</Button>
          <Button kind="primary" type="submit" form={formId} busy={isBusy} whyDisabled={isBusy ? undefined : why}>
            {titleText(action, matched).replace('?', '')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className={css['form']}>
        {!isEach && <Scope target={target} counted={counted.data} error={counted.error} />}
        <Comment isNeeded={action === 'comment'} value={comment} onChange={setComment} onSubmit={submit} />
        <div role="status" className={css['status']}>
          {isBusy && <Working done={progress.done} of={isEach ? target.names.length : undefined} />}
          {phase.at === 'failed' && <p className={css['failed']}>{phase.text}</p>}
        </div>
      </form>
    </Dialog>
  );
}

/** Why it cannot be decided yet. */
function whyNot(action: ThreatAction, matched: number | undefined, comment: string): string | undefined {
  if (matched === undefined) return 'The threats are being counted';
  if (matched === 0) return 'No threat matches';
  return action === 'comment' && comment.trim() === '' ? 'Write a comment first' : undefined;
}

type CommentProps = {
  readonly isNeeded: boolean;
  readonly value: string;
  readonly onChange: (comment: string) => void;
  readonly onSubmit: (event: FormEvent) => void;
};

/** Ctrl and Enter send it. */
function Comment({isNeeded, value, onChange, onSubmit}: CommentProps): ReactNode {
  return (
    <TextArea
      label={isNeeded ? 'Comment' : 'Comment (optional)'}
      value={value}
      autoFocus
      maxLength={4_000}
      onChange={event => onChange(event.target.value)}
      onKeyDown={event => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSubmit(event);
      }}
    />
  );
}

function Scope({
  target,
  counted,
  error,
}: {
  readonly target: Exclude<DecisionTarget, {names: readonly string[]}>;
  readonly counted: {readonly matched: number; readonly changed: number} | undefined;
  readonly error: unknown;
}): ReactNode {
  const {filter, bounds} = target;
  if (error !== null) return <p className={css['failed']}>{errorText(error)}</p>;
  return (
    <>
      <p className={css['count']}>{counted === undefined ? <Skeleton width="70%" /> : matchText(counted)}</p>
      <dl className={css['scope']}>
        <dt>Filter</dt>
        <dd>{filter === '*' ? 'No filter: all threats of the time range' : <span className="mono">{filter}</span>}</dd>
        <dt>Time</dt>
        <dd className="num">
          {bounds.since === undefined ? 'from the beginning' : <Time at={bounds.since} form="absolute" />} –{' '}
          {bounds.until === undefined ? 'now' : <Time at={bounds.until} form="absolute" />}
        </dd>
        <dt>Endpoints</dt>
        <dd>{scopeText(target.scope)}</dd>
      </dl>
    </>
  );
}

function Working({done, of}: {readonly done: number; readonly of: number | undefined}): ReactNode {
  return (
    <>
      <progress
        className={css['progress']}
        aria-label="Progress"
        {...(of === undefined ? {} : {value: done, max: of})}
      />
      <span className="num">{of === undefined ? 'The server works on it' : `${done} of ${of}`}</span>
    </>
  );
}
