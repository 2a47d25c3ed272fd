// SPDX-License-Identifier: Apache-2.0
import type {Operation} from '@palisade/client/browser';
import {useMutation} from '@tanstack/react-query';
import type {ReactNode} from 'react';
import {errorText, useApi, usePermission} from '../../../api/index.ts';
import {locationOf} from '../../../scope/scope.ts';
import {Button, cx, IconButton, icons, Time, toast} from '../../../ui/index.ts';
import css from '../ids-endpoints.module.css';
import {isCancelled, operationNoun, operationText, runningWord} from '../model/operations.ts';
import {useAskAgain} from '../queries.ts';

export type BannerProps = {
  readonly name: string;
  readonly operation: Operation;
  readonly onDismiss: () => void;
};

/** What happens to the endpoint just now, or why it failed. */
export function OperationBanner({name, operation, onDismiss}: BannerProps): ReactNode {
  if (operation.done !== true) return <Running name={name} operation={operation} />;
  return (
    <div className={cx(css['banner'], css['bannerBad'])} role="alert">
      <div className={css['bannerText']}>
        <strong>
          {operationNoun(operation)} {isCancelled(operation) ? 'cancelled' : 'failed'}{' '}
          <Time at={operation.metadata?.endTime} />
        </strong>
        <p>{operationText(operation)}</p>
      </div>
      <IconButton label="Dismiss" icon={<icons.CloseIcon />} small onClick={onDismiss} />
    </div>
  );
}

function Running({name, operation}: Omit<BannerProps, 'onDismiss'>): ReactNode {
  const {ids} = useApi();
  const askAgain = useAskAgain(name);
  const right = usePermission(locationOf(name), 'ids.operations.cancel');
  const cancel = useMutation({
    mutationFn: () => ids.cancelOperation(operation.name),
    onError: error => toast('bad', errorText(error)),
    onSettled: askAgain,
  });
  const isCancelling = operation.metadata?.requestedCancellation === true;
  return (
    <div className={css['banner']} role="status">
      <span className={css['spinner']} aria-hidden="true" />
      <div className={css['bannerText']}>
        <strong>{isCancelling ? 'Cancelling' : runningWord(operation)}</strong>
        <p>
          {operationText(operation) || 'Waiting for the first step'}, started{' '}
          <Time at={operation.metadata?.createTime} />
        </p>
      </div>
      <Button small busy={cancel.isPending || isCancelling} whyDisabled={right.why} onClick={() => cancel.mutate()}>
        Cancel
      </Button>
    </div>
  );
}
