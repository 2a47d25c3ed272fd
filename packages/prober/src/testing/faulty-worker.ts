// SPDX-License-Identifier: Apache-2.0
/** A thread in which something goes wrong that no check takes, as a library may do that reads what peers send. */
import {runThread} from '../thread/run-thread.ts';

runThread(() => {
  queueMicrotask(() => {
    throw new Error('an assertion of a library');
  });
  return undefined;
});
