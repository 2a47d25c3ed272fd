// SPDX-License-Identifier: Apache-2.0
import type {IdsEndpoint} from '@palisade/client/browser';
import {useCallback} from 'react';
import {type OperationState, useApi, useOperation} from '../../../api/index.ts';
import {useAskAgain} from '../queries.ts';

export type Change = (patch: IdsEndpoint) => Promise<boolean>;

/** Changes exactly the fields of the patch and follows the operation to its end; true: done. */
export function useChange(name: string): readonly [OperationState, Change] {
  const {ids} = useApi();
  const [state, run] = useOperation();
  const askAgain = useAskAgain(name);
  const change = useCallback<Change>(
    async patch => {
      const operation = await run(() => ids.patchEndpoint(name, patch, Object.keys(patch)));
      // Shown before the editor closes, so that the old value does not come back for a moment.
      await askAgain();
      return operation !== undefined;
    },
    [ids, name, run, askAgain],
  );
  return [state, change];
}
