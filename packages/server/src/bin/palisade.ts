// SPDX-License-Identifier: Apache-2.0
/** The `palisade` command. Exit codes: 0 done, 1 failed, 2 usage. Data goes to stdout, notes to stderr. */
import {main} from '../cli/main.ts';
import {watchOutput} from '../cli/output.ts';

const {stdin, stdout, stderr, env} = process;
const output = watchOutput({stdout, stderr}, code => process.exit(code));
const code = await main(process.argv.slice(2), {stdin, stdout, stderr, env, cwd: process.cwd()}, output.goOn);
process.exitCode = code;
process.once('exit', () => {
  process.exitCode = output.exitCode(code); // the last write may have failed only now
});
