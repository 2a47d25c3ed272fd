// SPDX-License-Identifier: Apache-2.0
import {type OpenThread, openThread} from '../thread/check-thread.ts';

/** For the port `openThread` of a prober: checks loopback addresses, too. */
export const openLoopbackThread: OpenThread = options =>
  openThread({...options, script: new URL('./loopback-worker.ts', import.meta.url)});
