// SPDX-License-Identifier: Apache-2.0
import {expireAfter, type KindModule} from '@palisade/apiserver';
import type {KindSettings} from '../settings.ts';
import {eventsGroupKind, eventsKind} from './kind.ts';

export {eventsGroupKind, eventsKind} from './kind.ts';
export {type EventRecorder, eventRecorder, type RecordedEvent} from './recorder.ts';

export const eventsModule = ({eventTtlMs}: KindSettings): KindModule => ({
  kinds: [eventsKind, eventsGroupKind],
  controllers: [expireAfter(eventsKind, eventTtlMs)],
  bootstraps: [],
});
