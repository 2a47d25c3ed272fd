// SPDX-License-Identifier: Apache-2.0
/** Choices when the object has changed since the edit began. */
import type {Endpoints} from '@palisade/client/browser';
import type {ReactNode} from 'react';
import {links} from '../../../../links.ts';
import {PageLink} from '../../../../routing/link.tsx';
import {Button, CodeBlock, cx, DiffView} from '../../../../ui/index.ts';
import {groupCommand, groupOf} from '../members/group.ts';
import css from '../set.module.css';
import {type Draft, type Refusal, reviewText} from './draft.ts';
import type {useSave} from './use-save.ts';

type Save = ReturnType<typeof useSave>;
type BannerProps = {readonly draft: Draft; readonly object: Endpoints; readonly save: Save};

/** A group writes this set: what it sets does not last when somebody else changes it. */
export function ComposedBanner({object}: Pick<BannerProps, 'object'>): ReactNode {
  const group = groupOf(object);
  if (group === undefined) return null;
  const {namespace = ''} = object.metadata ?? {};
  return (
    <div className={css['banner']} role="note">
      <h2>The group {group.name} composes this set</h2>
      <p>
        It reverts changes of the subsets, and of the labels that it sets, within seconds. Other labels and annotations
        remain as you save them. Change{' '}
        <PageLink className={css['inText']} to={links.group(namespace, group.name)}>
          the group {group.name}
        </PageLink>{' '}
        instead, with kubectl:
      </p>
      <CodeBlock text={groupCommand('edit', namespace, group.name)} label="command that changes the group" wrap />
    </div>
  );
}

/** Another client wrote the object while one edits. */
export function ChangedBanner({draft, object, save}: BannerProps): ReactNode {
  const [from, to] = [draft.base.metadata?.resourceVersion, object.metadata?.resourceVersion];
  return (
    <div className={css['banner']} role="status">
      <h2>The object has changed meanwhile</h2>
      <p>
        Your text began with version {from}; the server has version {to} now.
      </p>
      <Meanwhile {...{draft, object}} />
      <Ways save={save} />
    </div>
  );
}

/** The server refused to save. */
export function ConflictBanner({draft, object, save, conflict}: BannerProps & {readonly conflict: Refusal}): ReactNode {
  return (
    <div className={cx(css['banner'], css['bad'])} role="alert">
      <h2>
        {conflict.kind === 'version'
          ? 'Not saved: another client was faster'
          : 'Not saved: other managers have the fields below'}
      </h2>
      {/* The editor lists the conflicts of managers, each with its field. */}
      {conflict.kind === 'version' ? (
        <>
          <p>{conflict.text}</p>
          <Meanwhile {...{draft, object}} />
          <Ways save={save} />
        </>
      ) : (
        <div className={css['buttons']}>
          <Button busy={save.isBusy} onClick={() => void save.dryRun(true)}>
            Review taking them over
          </Button>
          <Button onClick={save.discard}>Discard my text</Button>
        </div>
      )}
    </div>
  );
}

function Meanwhile({draft, object}: Pick<BannerProps, 'draft' | 'object'>): ReactNode {
  return (
    <details>
      <summary>Show what changed meanwhile</summary>
      <DiffView label="Changes of others" before={reviewText(draft.base)} after={reviewText(object)} />
    </details>
  );
}

function Ways({save}: {readonly save: Save}): ReactNode {
  return (
    <div className={css['buttons']}>
      <Button busy={save.isBusy} onClick={() => void save.merge()}>
        Merge both changes
      </Button>
      <Button busy={save.isBusy} onClick={() => void save.keepMine()}>
        Reload and keep my text
      </Button>
      <Button onClick={save.discard}>Discard my text</Button>
    </div>
  );
}
