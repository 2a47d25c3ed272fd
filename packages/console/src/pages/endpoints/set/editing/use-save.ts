// SPDX-License-Identifier: Apache-2.0
/** Dry run, review, save: what the YAML tab does with its text. */
import type {Endpoints} from '@palisade/client/browser';
import {useState} from 'react';
import {errorText, useApi, type Warned, withWarnings} from '../../../../api/index.ts';
import {toast, toastDone} from '../../../../ui/index.ts';
import type {Problem} from '../../yaml/problems.ts';
import {type Draft, keptOver, mergedOver, objectFor, type Refusal, refusalOf, reviewText} from './draft.ts';

export const FIELD_MANAGER = 'palisade-console';

export type Review = {
  /** As the object is, and as the server would store it. */
  readonly before: string;
  readonly after: string;
  /** Fields of other managers are taken over. */
  readonly force: boolean;
  /** Of the server, about the dry run. */
  readonly warnings: readonly string[];
};

export type SaveOptions = {
  readonly object: Endpoints;
  readonly draft: Draft | undefined;
  readonly setDraft: (draft: Draft | undefined) => void;
  readonly mode: 'replace' | 'apply';
};

/** What came of the last attempt; one attempt at a time. */
function useOutcome() {
  const [isBusy, setBusy] = useState(false);
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [conflict, setConflict] = useState<Refusal>();
  const [review, setReview] = useState<Review>();
  const clear = (): void => {
    setProblems([]);
    setConflict(undefined);
    setReview(undefined);
  };
  const working = async (work: () => Promise<void>): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    await work().finally(() => setBusy(false));
  };
  return {isBusy, problems, setProblems, conflict, setConflict, review, setReview, clear, working};
}

export function useSave({object, draft, setDraft, mode}: SaveOptions) {
  const {kube} = useApi();
  const outcome = useOutcome();
  const {setProblems, setConflict, setReview, clear, working} = outcome;
  const {namespace = '', name = ''} = object.metadata ?? {};
  const send = (wanted: Endpoints, dryRun: boolean, force: boolean): Promise<Warned<Endpoints>> =>
    withWarnings(onWarning => {
      const options = {dryRun, fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', onWarning} as const;
      return mode === 'replace'
        ? kube.endpoints.replace(namespace, wanted, options)
        : kube.endpoints.patch(namespace, name, 'apply', wanted, {...options, force});
    });
  const attempt = (dryRun: boolean, force: boolean, onDone: (warned: Warned<Endpoints>) => void): Promise<void> =>
    working(async () => {
      if (draft === undefined) return;
      const wanted = objectFor(draft.text, {namespace, name});
      clear();
      if ('problems' in wanted) return setProblems(wanted.problems);
      try {
        onDone(await send(wanted.object, dryRun, force));
      } catch (error) {
        const refusal = refusalOf(error, draft.text);
        setProblems(refusal.problems);
        setConflict(refusal.kind === 'other' ? undefined : refusal);
      }
    });
  const onCurrent = (work: (current: Endpoints) => void): Promise<void> =>
    working(async () => {
      try {
        work(await kube.endpoints.get(namespace, name));
      } catch (error) {
        toast('bad', errorText(error));
      }
    });

  return {
    ...outcome,
    closeReview: () => setReview(undefined),
    dryRun: (force = false): Promise<void> =>
      attempt(true, force, ({answer: stored, warnings}) =>
        setReview({before: reviewText(object), after: reviewText(stored), force, warnings}),
      ),
    save: (force: boolean): Promise<void> =>
      attempt(false, force, ({warnings}) => {
        setDraft(undefined);
        toastDone(`Saved ${namespace}/${name}`, warnings);
      }),
    keepMine: (): Promise<void> =>
      onCurrent(current => {
        clear();
        if (draft !== undefined) setDraft(keptOver(draft, current));
      }),
    merge: (): Promise<void> =>
      onCurrent(current => {
        const merged = draft === undefined ? undefined : mergedOver(draft, current);
        if (merged === undefined) return toast('bad', 'The text cannot be merged: mend its YAML first');
        clear();
        setDraft(merged.draft);
        if (merged.both.length === 0) toast('ok', 'Both changes are in the text now');
        else setProblems(merged.both.map(field => ({field, text: 'was changed by both: your value was kept'})));
      }),
    discard: (): void => {
      clear();
      setDraft(undefined);
    },
  };
}
