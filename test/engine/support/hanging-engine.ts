// SPDX-License-Identifier: Apache-2.0
/** A process of its own that runs `up` with a cloud whose creations never end; the test kills it. Argument: the program's folder. */
import {main} from '@palisade/cli';
import {FakeCloud} from '@palisade/engine/testing';

const cloud = new FakeCloud();
cloud.before = call => {
  if (!call.startsWith('create')) return;
  process.stdout.write('creating\n');
  return new Promise(() => setInterval(() => undefined, 1000));
};
process.exitCode = await main(
  ['up', '--yes', '--skip-preview'],
  {
    stdin: process.stdin,
    stdout: process.stderr, // the steps: stdout is for the word above
    stderr: process.stderr,
    env: process.env,
    cwd: process.argv[2] ?? '.',
    engine: {providers: {fake: () => cloud.provider()}},
  },
  () => undefined,
);
