// SPDX-License-Identifier: Apache-2.0
/** What the real CLI leaves in a state folder and the engine cannot use. The takeover itself: test/e2e/pulumi-cli.test.ts. */
import {renameSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test, vi} from 'vitest';
import {EngineBench} from './support/engine-bench.ts';

vi.setConfig({testTimeout: 60_000});

test.each(['gz', 'zst'])(
  'a stack whose state is compressed (.%s) is named, and is not made a second time',
  async ending => {
    const bench = new EngineBench();
    try {
      await bench.init();
      const file = join(bench.root, 'state/.pulumi/stacks/proj/dev.json');
      renameSync(file, `${file}.${ending}`);
      for (const words of [['preview'], ['stack', 'init', 'dev'], ['stack', 'select', 'dev', '--create']]) {
        const ran = await bench.run(...words);
        expect(ran.code).toBe(1);
        expect(ran.err).toContain(`dev.json.${ending}: compressed state is not supported`);
      }
    } finally {
      bench.remove();
    }
  },
);
