// SPDX-License-Identifier: Apache-2.0
/** The `palisade` command. Exit codes: 0 done, 1 failed, 2 usage. Data goes to stdout, notes to stderr. */
import {EXIT} from '../command-line/io.ts';
import {main} from '../command-line/main.ts';
import {watchOutput} from '../command-line/output.ts';

const {stdin, stdout, stderr, env} = process;

/** Ends the process where the folder was removed behind the shell's back. */
const workingFolder = (): string => {
  try {
    return process.cwd();
  } catch {
    stderr.write('palisade: the working folder was deleted; change to another folder\n');
    return process.exit(EXIT.failed);
  }
};

const output = watchOutput({stdout, stderr}, code => process.exit(code));
const code = await main(process.argv.slice(2), {stdin, stdout, stderr, env, cwd: workingFolder()}, output.goOn);
process.exitCode = code;
process.once('exit', ended => {
  process.exitCode = output.exitCode(ended); // the last write may have failed only now
});
