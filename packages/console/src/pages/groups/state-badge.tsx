// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {Badge, type Tone} from '../../ui/index.ts';
import type {MemberRow} from './model/member-row.ts';

const TONES: Readonly<Record<string, readonly [Tone, string]>> = {
  Ready: ['ok', 'Ready'],
  NotReady: ['bad', 'Not ready'],
  Starting: ['warn', 'Starting'],
  Unchecked: ['neutral', 'Unchecked'],
};

/** A member that drains is not ready, whatever its checks say. */
export function StateBadge({state, draining}: Pick<MemberRow, 'state' | 'draining'>): ReactNode {
  const [tone, word] = TONES[state] ?? ['neutral', 'Unknown'];
  if (draining) return <Badge tone="warn">Draining</Badge>;
  return <Badge tone={tone}>{word}</Badge>;
}
