// SPDX-License-Identifier: Apache-2.0
/** The object as text: a dry run on the server shows what a change does before it is saved. */
import type {Endpoints} from '@palisade/client/browser';
import {type ReactNode, useMemo, useRef} from 'react';
import {useRights} from '../../../../api/index.ts';
import {Button, Checkbox, Select} from '../../../../ui/index.ts';
import {Editor, type EditorHandle} from '../../yaml/editor.tsx';
import {toText} from '../../yaml/object-text.ts';
import {lineOf, type Problem} from '../../yaml/problems.ts';
import css from '../set.module.css';
import type {TabSearch} from '../set-search.ts';
import {ENDPOINTS_TYPE} from '../set-state.ts';
import {type Draft, draftOf, textOf} from './draft.ts';
import {ChangedBanner, ComposedBanner, ConflictBanner} from './edit-banners.tsx';
import {ReviewDialog} from './review-dialog.tsx';
import {useSave} from './use-save.ts';

export type YamlTabProps = TabSearch & {
  readonly object: Endpoints;
  readonly isGone: boolean;
  readonly draft: Draft | undefined;
  readonly setDraft: (draft: Draft | undefined) => void;
};

const MODES = [
  {value: 'replace', label: 'Replace the object'},
  {value: 'apply', label: 'Server-side apply'},
] as const;
/** Beyond it, the lines of problems are not followed while one types. */
const FOLLOWED_CHARACTERS = 200_000;

export function YamlTab({object, isGone, draft, setDraft, search, setSearch}: YamlTabProps): ReactNode {
  const {namespace = '', name = '', resourceVersion} = object.metadata ?? {};
  const editor = useRef<EditorHandle>(null);
  const focusText = (): void => editor.current?.focus();
  const save = useSave({object, draft, setDraft, mode: search.save, focusText});
  const plain = useMemo(() => textOf(object), [object]);
  const full = useMemo(() => (search.managed ? toText(object, ENDPOINTS_TYPE, []) : ''), [object, search.managed]);
  const text = draft?.text ?? plain;
  const problems = useProblemLines(save.problems, text);
  const [update, patch] = useRights([
    {verb: 'update', resource: 'endpoints', namespace, name},
    {verb: 'patch', resource: 'endpoints', namespace, name},
  ]);
  const right = search.save === 'replace' ? update : patch;
  const unchanged = draft === undefined ? 'Nothing was changed: edit the text first' : undefined;
  const whyDisabled = (isGone ? 'The object was deleted' : undefined) ?? right?.why ?? unchanged;
  const isStale = draft !== undefined && draft.base.metadata?.resourceVersion !== resourceVersion;
  const change = (typed: string): void => setDraft(draftOf(typed, draft?.base ?? object));
  const review = (): void => {
    if (whyDisabled === undefined && !search.managed) void save.dryRun();
  };
  return (
    <>
      <Toolbar
        {...{search, setSearch, save}}
        isDirty={draft !== undefined}
        whyDisabled={search.managed ? 'Hide managedFields to edit the text' : whyDisabled}
        onReview={review}
      />
      {!isGone && <ComposedBanner object={object} />}
      {save.conflict === undefined
        ? isStale && !isGone && <ChangedBanner {...{draft, object, save}} />
        : draft !== undefined && <ConflictBanner {...{draft, object, save}} conflict={save.conflict} />}
      {right?.allowed === false && <p className={css['readOnly']}>The text is read-only. {right.why}.</p>}
      <Editor
        ref={editor}
        label={`YAML of ${namespace}/${name}`}
        value={search.managed ? full : text}
        readOnly={search.managed || isGone || right?.allowed === false}
        onChange={change}
        problems={search.managed ? [] : problems}
        onSubmit={review}
      />
      {save.review !== undefined && (
        <ReviewDialog
          name={`${namespace}/${name}`}
          review={save.review}
          isBusy={save.isBusy}
          onClose={save.closeReview}
          onSave={force => void save.save(force)}
        />
      )}
    </>
  );
}

type ToolbarProps = TabSearch & {
  readonly save: ReturnType<typeof useSave>;
  readonly isDirty: boolean;
  readonly whyDisabled: string | undefined;
  readonly onReview: () => void;
};

function Toolbar({search, setSearch, save, isDirty, whyDisabled, onReview}: ToolbarProps): ReactNode {
  return (
    <div className={css['toolbar']}>
      <Select
        label="Save as"
        hideLabel
        value={search.save}
        options={MODES}
        onChange={event => {
          save.clear();
          setSearch({save: event.target.value === 'apply' ? 'apply' : 'replace'});
        }}
      />
      <Checkbox
        label="Show managedFields"
        checked={search.managed}
        onChange={event => setSearch({managed: event.target.checked})}
      />
      <span className={css['buttons']}>
        {isDirty && <Button onClick={save.discard}>Discard changes</Button>}
        <Button kind="primary" busy={save.isBusy} whyDisabled={whyDisabled} onClick={onReview}>
          Review changes
        </Button>
      </span>
    </div>
  );
}

/** Lines move while one types; the fields keep their names. */
function useProblemLines(problems: readonly Problem[], text: string): readonly Problem[] {
  return useMemo(
    () =>
      text.length > FOLLOWED_CHARACTERS
        ? problems
        : problems.map(problem => {
            const line = problem.field === undefined ? problem.line : lineOf(text, problem.field);
            return {...problem, ...(line === undefined ? {} : {line})};
          }),
    [problems, text],
  );
}
