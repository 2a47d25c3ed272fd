// SPDX-License-Identifier: Apache-2.0
/** The `palisade` command. Exit codes: 0 done, 1 failed, 2 usage. Data goes to stdout, notes to stderr. */
import {main} from '../cli/main.ts';

process.exitCode = await main(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
});
