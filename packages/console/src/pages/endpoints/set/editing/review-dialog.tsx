// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {Button, Dialog, DiffView} from '../../../../ui/index.ts';
import {Warnings} from '../../yaml/warnings.tsx';
import type {Review} from './use-save.ts';

export type ReviewDialogProps = {
  /** `shop/web`. */
  readonly name: string;
  readonly review: Review;
  readonly isBusy: boolean;
  readonly onClose: () => void;
  readonly onSave: (force: boolean) => void;
};

/** What the server would store, against what it has. */
export function ReviewDialog({name, review, isBusy, onClose, onSave}: ReviewDialogProps): ReactNode {
  const {before, after, force, warnings} = review;
  return (
    <Dialog
      open
      wide
      onOpenChange={open => !open && onClose()}
      title={`Changes to ${name}`}
      description={`The server accepts them in a dry run.${force ? ' Fields of other managers are taken over.' : ''}`}
      actions={
        <>
          <Button onClick={onClose}>Back to the text</Button>
          <Button
            kind="primary"
            busy={isBusy}
            whyDisabled={before === after && !force ? 'Nothing changes' : undefined}
            onClick={() => onSave(force)}
          >
            Save
          </Button>
        </>
      }
    >
      <Warnings texts={warnings} />
      <DiffView label={`Changes to ${name}`} before={before} after={after} />
    </Dialog>
  );
}
