// SPDX-License-Identifier: Apache-2.0
/** What blocks the deletion of a set, and the way to delete it. */
import type {Deletion, Endpoints} from '@palisade/client/browser';
import {type ReactNode, useState} from 'react';
import {errorText, useRight} from '../../../../api/index.ts';
import {Badge, Button, ErrorState, Loading, Section, Time} from '../../../../ui/index.ts';
import css from '../set.module.css';
import {DeleteDialog} from './delete-dialog.tsx';
import {useDeletion, useServiceOf} from './deletion-queries.ts';
import {FoundList} from './found-list.tsx';

export function DeletionTab({object, isGone}: {readonly object: Endpoints; readonly isGone: boolean}): ReactNode {
  const {namespace = '', name = '', deletionTimestamp} = object.metadata ?? {};
  const [isAsking, setAsking] = useState(false);
  const right = useRight({verb: 'delete', resource: 'endpoints', namespace, name});
  const {data, error, refetch} = useDeletion(object);
  const service = useServiceOf(object);
  const already = deletionTimestamp === undefined ? undefined : 'Its deletion has been requested already';
  const whyDisabled = (isGone ? 'The object was deleted' : already) ?? right.why;
  return (
    <div className={css['stack']}>
      <Section
        title={deletionTimestamp === undefined ? 'Delete this set' : 'Deletion requested'}
        actions={
          <Button kind="danger" whyDisabled={whyDisabled} onClick={() => setAsking(true)}>
            Delete
          </Button>
        }
      >
        {deletionTimestamp === undefined ? (
          <FinalizersText finalizers={object.metadata?.finalizers ?? []} />
        ) : (
          <p>
            Requested <Time at={deletionTimestamp} form="both" />. The object stays until nothing blocks it.
          </p>
        )}
      </Section>
      {error !== null ? (
        <ErrorState
          title="The blockers of the deletion cannot be found"
          text={errorText(error)}
          onRetry={() => void refetch()}
        />
      ) : data === undefined ? (
        <Loading label="Loading the blockers of its deletion" rows={3} />
      ) : (
        <>
          {data.deleted && <Holders deletion={data} />}
          {!data.deleted && <Owners owners={data.owners} />}
        </>
      )}
      <Section title="Used by">
        {service === undefined ? (
          <p className="muted">There is no Service of this name, or you may not read it.</p>
        ) : (
          <p>
            The Service{' '}
            <strong>
              {namespace}/{service}
            </strong>{' '}
            routes to these addresses. A deletion does not wait for it: clients of the Service find no address then.
          </p>
        )}
      </Section>
      {isAsking && <DeleteDialog object={object} service={service} onClose={() => setAsking(false)} />}
    </div>
  );
}

function FinalizersText({finalizers}: {readonly finalizers: readonly string[]}): ReactNode {
  if (finalizers.length === 0) return <p>It has no finalizers: nothing blocks its deletion.</p>;
  return (
    <>
      <p>After the request it stays until these finalizers are removed:</p>
      <ul>
        {finalizers.map(one => (
          <li key={one}>
            <code>{one}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

function Holders({deletion}: {readonly deletion: Deletion}): ReactNode {
  return (
    <Section title="What blocks it">
      {deletion.holders.length === 0 ? (
        <p className="muted">Nothing: the server removes it.</p>
      ) : (
        <ul className={css['holders']}>
          {deletion.holders.map(({holder, what, next, objects, more}) => (
            <li key={holder} className={css['holder']}>
              <strong>
                <code>{holder}</code>
              </strong>
              <span>{what}</span>
              <span className="muted">Next: {next}</span>
              {objects !== undefined && <FoundList objects={objects} more={more ?? 0} />}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const OWNER_TONE = {kept: 'ok', gone: 'warn', waiting: 'warn', unknown: 'neutral'} as const;
const OWNER_WORD = {kept: 'keeps it', gone: 'gone', waiting: 'being deleted', unknown: 'unknown'} as const;

function Owners({owners}: {readonly owners: Deletion['owners']}): ReactNode {
  return (
    <Section title="Owners">
      {owners.length === 0 ? (
        <p className="muted">It has no owners: it is deleted only by a request.</p>
      ) : (
        <ul className={css['holders']}>
          {owners.map(({kind, name, uid, state, what}) => (
            <li key={uid}>
              <Badge tone={OWNER_TONE[state]}>{OWNER_WORD[state]}</Badge> {kind} <strong>{name}</strong> {what}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
