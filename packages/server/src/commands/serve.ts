// SPDX-License-Identifier: Apache-2.0
/** `palisade serve`: everything in one process tree, until a signal. */
import {constants} from 'node:os';
import type {Command} from '../cli/command.ts';
import {type CliIo, EXIT} from '../cli/io.ts';
import {parseOptions} from '../cli/options.ts';
import {toServeConfig} from '../run/config.ts';
import {createLogger} from '../run/logger.ts';
import {serveOptions} from './serve-options.ts';

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. */
const signalled = (): Promise<NodeJS.Signals> =>
  new Promise(resolve => {
    let asked = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (asked) process.kill(process.pid, 'SIGKILL');
      asked = true;
      resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });

const run = async (words: readonly string[], io: CliIo): Promise<number> => {
  const config = toServeConfig(parseOptions(words, serveOptions).options, io.env, io.cwd);
  const log = createLogger(config.logLevel);
  const signal = signalled();
  const {startServer} = await import('../run/server.ts'); // the other commands start without it
  const server = await startServer(config, log);
  io.stdout.write(`${JSON.stringify(server.ready)}\n`);
  const name = await signal;
  log.info({signal: name, number: constants.signals[name]}, 'draining');
  await server.stop();
  return EXIT.ok;
};

export const serve: Command = {
  name: 'serve',
  summary: 'the control plane: both APIs, the store and the sensors, in one process tree',
  usage: 'palisade serve --data DIR --http HOST:PORT (--auth none | --token-auth-file FILE) [flags]',
  options: serveOptions,
  examples: [
    'palisade serve --auth none',
    'palisade serve --data ./data --http 127.0.0.1:8080 --grpc 127.0.0.1:8080 --auth none',
    'palisade serve --https 0.0.0.0:6443 --token-auth-file tokens.csv --locations europe-west1-b',
    'palisade serve --auth none --compat kubernetes --apis kubernetes',
    'palisade serve --auth none --driver relay --rules my.rules --endpoint-pool 10.77.0.0/16',
  ],
  run,
};
