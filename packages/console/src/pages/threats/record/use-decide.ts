// SPDX-License-Identifier: Apache-2.0
import type {ThreatAction} from '@palisade/client/browser';
import {useCallback, useState} from 'react';
import {errorText, useApi, usePermission} from '../../../api/index.ts';
import {toast} from '../../../ui/index.ts';
import {ACTION_WORDS} from '../decide/decide.ts';
import type {Threat} from '../model/threat-row.ts';
import type {RecordName} from './record-name.ts';

export type Decide = {
  /** Whether it was done. */
  readonly run: (action: ThreatAction, comment?: string) => Promise<boolean>;
  readonly busy: ThreatAction | undefined;
  /** Why the user may not. */
  readonly why: string | undefined;
};

/** Decides about one threat at once, without a question: each decision can be taken back. */
export function useDecide({endpoint, id}: RecordName, onDecided: (threat: Threat) => void): Decide {
  const {ids} = useApi();
  const {why} = usePermission(endpoint, 'ids.threats.update');
  const [busy, setBusy] = useState<ThreatAction | undefined>();
  const run = useCallback(
    async (action: ThreatAction, comment?: string) => {
      setBusy(action);
      try {
        onDecided(await ids.decideThreat(endpoint, id, action, comment));
        toast('ok', action === 'comment' ? 'Comment added' : `Threat ${ACTION_WORDS[action].did}`);
        return true;
      } catch (error) {
        toast('bad', errorText(error));
        return false;
      } finally {
        setBusy(undefined);
      }
    },
    [ids, endpoint, id, onDecided],
  );
  return {run, busy, why};
}
