// SPDX-License-Identifier: Apache-2.0
import {useBlocker} from '@tanstack/react-router';
import type {ReactNode} from 'react';
import {Button, Dialog} from '../../../../ui/index.ts';

/** Asks before a text that was not saved is lost: on a link, the back button, and when the tab is closed. */
export function LeaveGuard({isDirty}: {readonly isDirty: boolean}): ReactNode {
  const blocker = useBlocker({
    shouldBlockFn: ({current, next}) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog
      open
      onOpenChange={open => !open && blocker.reset()}
      title="Leave without saving?"
      description="The changes to the YAML of this object are lost."
      actions={
        <>
          <Button onClick={blocker.reset}>Stay</Button>
          <Button kind="danger" onClick={blocker.proceed}>
            Leave
          </Button>
        </>
      }
    />
  );
}
