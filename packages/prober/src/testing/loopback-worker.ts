// SPDX-License-Identifier: Apache-2.0
/** A thread that checks loopback addresses, too: where a test runs its servers. */
import {runThread} from '../thread/run-thread.ts';

runThread(() => undefined);
