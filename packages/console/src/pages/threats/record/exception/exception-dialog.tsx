// SPDX-License-Identifier: Apache-2.0
/** Makes an exception of an endpoint out of an alert: first what it would have hidden, then the change. */
import {useQueryClient} from '@tanstack/react-query';
import {type ReactNode, useState} from 'react';
import {errorText, useApi, useOperation, usePermission} from '../../../../api/index.ts';
import {links} from '../../../../links.ts';
import {shortEndpoint} from '../../../../records/row-field.ts';
import {PageLink} from '../../../../routing/link.tsx';
import {Button, Dialog, ErrorState, numberText, Select, toast} from '../../../../ui/index.ts';
import css from './exception.module.css';
import {EXCEPTIONS_MAX, type ExceptionSubject, hasException, withException} from './exception.ts';
import {Preview} from './preview.tsx';
import {useExceptions, usePreview} from './use-preview.ts';

const LASTS = [100, 1_000, 10_000, 100_000];

export type ExceptionDialogProps = {readonly subject: ExceptionSubject; readonly onClose: () => void};

export function ExceptionDialog({subject, onClose}: ExceptionDialogProps): ReactNode {
  const {endpoint, threatId, name} = subject;
  const [last, setLast] = useState(1_000);
  const list = useExceptions(subject);
  const preview = usePreview(subject, last);
  const {operation, save} = useSave(subject, onClose);
  const right = usePermission(endpoint, 'ids.endpoints.update');
  const isThere = list.data !== undefined && hasException(list.data, threatId);
  const isBusy = operation.phase === 'running';
  return (
    <Dialog
      open
      wide
      onOpenChange={open => !open && onClose()}
      title="Make an exception"
      description={
        isThere
          ? `Endpoint ${shortEndpoint(endpoint)} has this exception already: it does not report ${name} (${threatId}).`
          : `Endpoint ${shortEndpoint(endpoint)} will no longer report ${name} (${threatId}).`
      }
      actions={
        <>
          <Button onClick={onClose}>{isThere ? 'Close' : 'Cancel'}</Button>
          <Button
            kind="primary"
            busy={isBusy}
            whyDisabled={right.why ?? whyNot(list.data, isThere, list.isError)}
            onClick={() => void save()}
          >
            Make exception
          </Button>
        </>
      }
    >
      <div className={css['stack']}>
        {isThere && <IsThere endpoint={endpoint} />}
        <Select
          label={isThere ? 'Look at' : 'Try it with'}
          value={String(last)}
          options={LASTS.map(value => ({value: String(value), label: `the last ${numberText(value)} alerts`}))}
          onChange={event => setLast(Number(event.target.value))}
        />
        {preview.isError ? (
          <ErrorState
            title="The exception cannot be tried"
            text={errorText(preview.error)}
            onRetry={() => void preview.refetch()}
          />
        ) : (
          <Preview answer={preview.data} isOld={preview.isPlaceholderData} {...{subject, isThere}} />
        )}
        {list.isError && <p className={css['bad']}>{errorText(list.error)}</p>}
        <p role="status" className={operation.phase === 'failed' ? css['bad'] : 'muted'}>
          {operation.phase === 'failed' && `The exception was not made. ${operation.text}`}
          {isBusy && (operation.text === '' ? 'Saving' : operation.text)}
        </p>
      </div>
    </Dialog>
  );
}

/** Reads the list again before it is changed, so that what others added meanwhile stays. */
function useSave({endpoint, threatId, name}: ExceptionSubject, onClose: () => void) {
  const {ids} = useApi();
  const queries = useQueryClient();
  const [operation, run] = useOperation();
  const save = async (): Promise<void> => {
    const done = await run(async () => {
      const {threatExceptions = []} = await ids.getEndpoint(endpoint);
      return ids.patchEndpoint(endpoint, {threatExceptions: withException(threatExceptions, threatId)}, [
        'threatExceptions',
      ]);
    });
    void queries.invalidateQueries({queryKey: ['exceptions-of', endpoint]});
    if (done === undefined) return;
    toast('ok', `${shortEndpoint(endpoint)} no longer reports ${name} (${threatId}). Stored alerts remain.`);
    onClose();
  };
  return {operation, save};
}

function whyNot(list: readonly string[] | undefined, isThere: boolean, isError: boolean): string | undefined {
  if (isError) return 'The exceptions of the endpoint cannot be read';
  if (list === undefined) return 'The exceptions of the endpoint are being read';
  if (isThere) return 'The endpoint has this exception';
  if (list.length >= EXCEPTIONS_MAX) return `The endpoint has ${list.length} exceptions, and no more are possible`;
  return undefined;
}

function IsThere({endpoint}: {readonly endpoint: string}): ReactNode {
  return (
    <p className={css['note']}>
      Alerts that were stored before the exception remain.{' '}
      <PageLink to={links.idsEndpointOf(endpoint)}>Remove the exception on the page of the endpoint</PageLink>
    </p>
  );
}
