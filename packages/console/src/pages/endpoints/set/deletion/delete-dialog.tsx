// SPDX-License-Identifier: Apache-2.0
import type {Endpoints} from '@palisade/client/browser';
import {useMutation} from '@tanstack/react-query';
import {type ReactNode, useState} from 'react';
import {errorText, useApi, withWarnings} from '../../../../api/index.ts';
import {links} from '../../../../links.ts';
import {PageLink, useGo} from '../../../../routing/link.tsx';
import {Button, CodeBlock, Dialog, toastDone} from '../../../../ui/index.ts';
import {groupCommand, groupOf} from '../members/group.ts';
import css from '../set.module.css';
import {addressesText, setStateOf} from '../set-state.ts';
import {useDependents} from './deletion-queries.ts';
import {FoundList} from './found-list.tsx';

/** Ref: meta/v1 DeletionPropagation. */
const WAYS = [
  {id: 'Background', label: 'Delete dependents afterwards', hint: 'The set goes at once (Background).'},
  {id: 'Foreground', label: 'Delete dependents first', hint: 'The set stays until they are gone (Foreground).'},
  {id: 'Orphan', label: 'Keep dependents', hint: 'They lose their reference to the set (Orphan).'},
] as const;
type Way = (typeof WAYS)[number]['id'];

export type DeleteDialogProps = {
  readonly object: Endpoints;
  readonly service: string | undefined;
  readonly onClose: () => void;
};

/** Names the object and what goes with it; only the object that was looked at is deleted. */
export function DeleteDialog({object, service, onClose}: DeleteDialogProps): ReactNode {
  const {kube} = useApi();
  const go = useGo();
  const {namespace = '', name = '', uid} = object.metadata ?? {};
  const [way, setWay] = useState<Way>('Background');
  const group = groupOf(object);
  const removal = useMutation({
    mutationFn: () =>
      withWarnings(onWarning => kube.endpoints.delete(namespace, name, {uid, propagationPolicy: way, onWarning})),
    onSuccess: ({answer: left, warnings}) => {
      const waits = left?.metadata?.finalizers ?? [];
      if (waits.length === 0) {
        toastDone(`Deleted ${namespace}/${name}`, warnings);
        go(links.endpointsList({namespace}));
        return;
      }
      toastDone(`Requested the deletion of ${namespace}/${name}: it waits for ${waits.join(', ')}`, warnings);
      onClose();
    },
  });
  return (
    <Dialog
      open
      onOpenChange={open => !open && onClose()}
      title={`Delete ${namespace}/${name}?`}
      description={addressesText(setStateOf(object))}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" busy={removal.isPending} onClick={() => removal.mutate()}>
            Delete {name}
          </Button>
        </>
      }
    >
      <div className={css['stack']}>
        {service !== undefined && (
          <p>
            Clients of the Service {namespace}/{service} find no address then.
          </p>
        )}
        {group !== undefined && <OfGroup namespace={namespace} group={group.name} />}
        <Dependents object={object} />
        <fieldset className={css['choices']}>
          <legend>Dependents</legend>
          {WAYS.map(({id, label, hint}) => (
            <label key={id} className={css['choice']}>
              <input type="radio" name="propagation" checked={way === id} onChange={() => setWay(id)} />
              {label}
              <small>{hint}</small>
            </label>
          ))}
        </fieldset>
        {removal.error !== null && <p role="alert">{errorText(removal.error)}</p>}
      </div>
    </Dialog>
  );
}

/** A group creates its set again: the way to delete both. */
function OfGroup({namespace, group}: {readonly namespace: string; readonly group: string}): ReactNode {
  return (
    <div>
      <p>
        The group{' '}
        <PageLink className={css['inText']} to={links.group(namespace, group)}>
          {group}
        </PageLink>{' '}
        composes this set, and creates it again. Delete the group instead; this set goes with it:
      </p>
      <CodeBlock text={groupCommand('delete', namespace, group)} label="command that deletes the group" wrap />
    </div>
  );
}

/** What has this set as its owner. */
function Dependents({object}: {readonly object: Endpoints}): ReactNode {
  const {data, error} = useDependents(object, true);
  if (error !== null) return <p>Dependents cannot be listed. {errorText(error)}</p>;
  if (data === undefined) return <p className="muted">Looking for dependents in all kinds…</p>;
  const unseen = data.unseen.map(({what}) => what).join(', ');
  return (
    <div>
      {data.count === 0 ? (
        <p>No other object has this set as its owner.</p>
      ) : (
        <>
          <p>{data.count === 1 ? 'One object has' : `${data.count} objects have`} this set as owner:</p>
          <FoundList objects={data.objects} more={data.count - data.objects.length} />
        </>
      )}
      {unseen !== '' && <p className="muted">Not checked, as you may not list them: {unseen}</p>}
    </div>
  );
}
