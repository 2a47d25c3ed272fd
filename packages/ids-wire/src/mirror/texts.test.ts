// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {MIRROR_TARGETS, setUpOf} from './set-up.ts';

/** What a step tells the reader to do. */
const STEP =
  /^(run|remove|create|allow|to send GENEVE instead of VXLAN, run) |: (create|make|choose|on each collector, put) /;

test.each(['10.77.0.1', '127.77.0.1'])('43-4 49-3 each step of a set-up for %s says what to do', ip => {
  const attach = {endpoint: 'projects/p/locations/l/endpoints/guard', ip, vni: 7, driver: 'relay'};
  for (const target of MIRROR_TARGETS)
    for (const {about} of setUpOf(target, attach, 'eth0').sections) expect(about).toMatch(STEP);
});
