// SPDX-License-Identifier: Apache-2.0
import {useMutation} from '@tanstack/react-query';
import {type ReactNode, useState} from 'react';
import {errorText, useApi} from '../../../api/index.ts';
import {Button, Dialog, TextInput} from '../../../ui/index.ts';
import css from '../ids-endpoints.module.css';
import {useAccepted, useAskAgain} from '../queries.ts';

/** The name must be typed: the sensor and its figures go with the endpoint. Its records stay. The page shows the progress afterwards. */
export function DeleteDialog({name, onClose}: {readonly name: string; readonly onClose: () => void}): ReactNode {
  const {ids} = useApi();
  const askAgain = useAskAgain(name);
  const accepted = useAccepted();
  const id = name.split('/').at(-1) ?? name;
  const [typed, setTyped] = useState('');
  const remove = useMutation({
    mutationFn: () => ids.deleteEndpoint(name),
    onSuccess: operation => {
      accepted(operation);
      onClose();
      return askAgain();
    },
  });
  const whyDisabled = typed === id ? undefined : `Type ${id} to confirm`;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Delete ${id}?`}
      description={`${name} stops inspecting traffic. Its stored threats and traffic logs stay readable until the retention of the server removes them.`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" busy={remove.isPending} whyDisabled={whyDisabled} onClick={() => remove.mutate()}>
            Delete endpoint
          </Button>
        </>
      }
    >
      <form
        className={css['confirm']}
        onSubmit={event => {
          event.preventDefault();
          if (whyDisabled === undefined) remove.mutate();
        }}
      >
        <TextInput
          label={`Type ${id} to confirm`}
          value={typed}
          onChange={event => setTyped(event.target.value)}
          error={remove.error === null ? undefined : errorText(remove.error)}
        />
      </form>
    </Dialog>
  );
}
