// SPDX-License-Identifier: Apache-2.0
/** `palisade serve`: everything in one process tree, until a signal. */

import {toServeConfig} from '@palisade/server/config';
import {createLogger} from '@palisade/server/logger';
import type {RunningServer} from '@palisade/server/server';
import {stopSignals} from '@palisade/server/stop-signals';
import {monotonicClock} from '@palisade/server/system';
import type {Command} from '../command-line/command.ts';
import {type CliIo, EXIT} from '../command-line/io.ts';
import {readOptions} from '../command-line/options.ts';
import {serveOptions} from './serve-options.ts';

/**
 * Aborts at the first SIGTERM or SIGINT, with its name as the reason; a second one, noticeably later, ends the process at once. SIGHUP
 * aborts a server whose terminal is gone; one without a terminal takes it as the word to read its files again.
 */
const signals = (io: CliIo, onReload: () => void): AbortSignal => {
  const {asked, stop, hangUp} = stopSignals(monotonicClock, () => process.kill(process.pid, 'SIGKILL'));
  const inTerminal = 'isTTY' in io.stdin && io.stdin.isTTY === true;
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', inTerminal ? hangUp : onReload);
  return asked;
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });

const run = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options, faults} = readOptions(words, serveOptions);
  const config = toServeConfig(options, io.env, io.cwd, faults);
  const log = createLogger(config.logLevel);
  let server: RunningServer | undefined;
  let reloadWhenUp = false;
  const signal = signals(io, () => {
    log.info({signal: 'SIGHUP'}, 'reloading the files of --tls-cert, --tls-key and --rules');
    if (server === undefined) reloadWhenUp = true;
    else void server.reload(); // never rejects; each part logs its outcome
  });
  const {startServer} = await import('@palisade/server/server'); // the other commands start without it
  try {
    server = await startServer(config, log, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    // A signal to the whole group also ends what a step had started, and so the step.
    const broken = error === signal.reason ? {} : {err: error};
    log.info({signal: signal.reason, ...broken}, 'stopped while it was starting');
    return EXIT.ok;
  }
  io.stdout.write(`${JSON.stringify(server.ready)}\n`);
  if (reloadWhenUp) void server.reload();
  await aborted(signal);
  log.info({signal: signal.reason}, 'draining');
  await server.stop();
  return EXIT.ok;
};

export const serve: Command = {
  name: 'serve',
  group: 'server',
  summary: 'run the control plane: both APIs, the store and the sensors',
  usage: '(--auth none | --token-auth-file FILE --https HOST:PORT) [--data DIR] [flags]',
  notes: [
    'The default data folder is $XDG_STATE_HOME/palisade, or ~/.local/state/palisade if XDG_STATE_HOME is not set.',
  ],
  options: serveOptions,
  signals: [
    ['SIGTERM, SIGINT', 'stop after running requests; a second signal, 1 s or more later, stops at once'],
    ['SIGHUP', 'reload the files of --tls-cert, --tls-key and --rules; at a terminal: stop'],
  ],
  examples: [
    'palisade serve --auth none',
    'palisade serve --data ./data --http 127.0.0.1:8080 --grpc 127.0.0.1:8080 --auth none',
    'palisade serve --https 0.0.0.0:6443 --token-auth-file tokens.csv --locations europe-west1-b',
    'palisade serve --auth none --compat kubernetes --apis kubernetes',
    'palisade serve --auth none --driver relay --rules my.rules --endpoint-pool 10.77.0.0/16',
  ],
  outlivesReader: true,
  run,
};
