// SPDX-License-Identifier: Apache-2.0
import type {RuleMessage} from '@palisade/ids-wire';
import type {ReactNode} from 'react';
import {Time} from '../../ui/index.ts';
import {reasonParts} from './reason-text.ts';

/** Why a rule is not loaded. */
export function Reason({rule}: {readonly rule: Pick<RuleMessage, 'reason' | 'switched'>}): ReactNode {
  const {before, time, after} = reasonParts(rule);
  return (
    <>
      {before}
      {time !== undefined && <Time at={time} />}
      {after}
    </>
  );
}
