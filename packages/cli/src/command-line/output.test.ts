// SPDX-License-Identifier: Apache-2.0
import {Writable} from 'node:stream';
import {expect, test} from 'vitest';
import {watchOutput} from './output.ts';

/** A stream that stays open after a failure, as those of the process do. */
const broken = (code: string): Writable =>
  new Writable({
    autoDestroy: false,
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(`write ${code}`), {code})),
  });
const collector = (): {stream: Writable; text: () => string} => {
  let text = '';
  const write = (chunk: Buffer, _encoding: string, done: () => void): void => {
    text += String(chunk);
    done();
  };
  return {stream: new Writable({write}), text: () => text};
};
/** Until the errors of what was written are out. */
const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

test.each([
  ['EPIPE', 0, ''],
  ['ENOSPC', 1, 'palisade: the output cannot be written: no space is left on the device (ENOSPC)\n'],
  ['EINVAL', 1, 'palisade: the output cannot be written: write EINVAL\n'],
])('%s on stdout ends the process once, with %d and %j on stderr', async (code, exit, said) => {
  const [stdout, stderr, ends] = [broken(code), collector(), [] as number[]];
  const output = watchOutput({stdout, stderr: stderr.stream}, with_ => void ends.push(with_));
  stdout.write('a');
  await settled();
  stdout.write('b');
  await settled();
  expect(ends).toEqual([exit]);
  expect(stderr.text()).toBe(said);
  expect(output.exitCode(0)).toBe(exit);
});

test('a command that goes on is not ended; its exit code counts what was lost, but for a reader that has enough', async () => {
  for (const [code, exit] of [
    ['EPIPE', 0],
    ['ENOSPC', 1],
  ] as const) {
    const stdout = broken(code);
    const output = watchOutput({stdout, stderr: broken(code)}, () => expect.unreachable());
    output.goOn();
    stdout.write('a');
    await settled();
    expect([output.exitCode(0), output.exitCode(1), output.exitCode(2)]).toEqual([exit, 1, 2]);
  }
});

test('what is written to a stderr that is closed is lost, and nothing else', async () => {
  const stderr = broken('EPIPE');
  const output = watchOutput({stdout: collector().stream, stderr}, () => expect.unreachable());
  stderr.write('a note');
  await settled();
  expect(output.exitCode(0)).toBe(0);
});
