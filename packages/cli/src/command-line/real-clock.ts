// SPDX-License-Identifier: Apache-2.0
import {setTimeout as sleep} from 'node:timers/promises';
import type {Clock} from '@palisade/client';
import {monotonicClock} from '@palisade/server/system';

/** For waits: its time never jumps. */
export const realClock: Clock = {now: monotonicClock.now, sleep: (ms, signal) => sleep(ms, undefined, {signal})};
