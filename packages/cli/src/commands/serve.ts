// SPDX-License-Identifier: Apache-2.0
/** `palisade serve`: everything in one process tree, until a signal. */

import {createLogger} from '@palisade/server/logger';
import type {RunningServer} from '@palisade/server/server';
import {stopSignals} from '@palisade/server/stop-signals';
import {monotonicClock} from '@palisade/server/system';
import type {Command} from '../command-line/command.ts';
import {type CliIo, CommandError, EXIT} from '../command-line/io.ts';
import {type Parsed, readOptions} from '../command-line/options.ts';
import {reloadSource} from '../configuration/reload-configuration.ts';
import {type Settled, settle} from '../configuration/settle.ts';
import {consoleFolder} from '../serve/console-folder.ts';
import {serveOptions} from '../serve/serve-options.ts';

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

const RELOADING_ALL = 'reloading the configuration and the files that it names';
const RELOADING_FILES =
  'reloading the files of --tls-cert, --tls-key, --token-auth-file, --rules and --audit-policy-file';

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });

type Reading = {
  readonly options: Parsed<typeof serveOptions>;
  readonly first: Settled;
  readonly again: () => Promise<Settled>;
};

/** Throws UsageError with the faults of the words and of the configuration file. `again` reads the file again. */
const readConfiguration = async (words: readonly string[], {env, cwd, stderr}: CliIo): Promise<Reading> => {
  const read = readOptions(words, serveOptions, {env});
  const {config: name, json, 'print-config': isPrinted} = read.options;
  const faults = json && !isPrinted ? ['--json is for --print-config: use both, or leave it out'] : [];
  const said = read.given.get('config') === 'environment' ? 'PALISADE_CONFIG' : '--config';
  const note = (fault: string) => stderr.write(`palisade: serve would not start: ${fault}\n`);
  const onMissing = isPrinted ? note : undefined;
  const again = async (): Promise<Settled> => {
    const all = {...read, faults: [...read.faults, ...faults]};
    if (name === undefined) return settle(all, undefined, {env, cwd}, onMissing);
    const {readConfigurationFile} = await import('../configuration/read-file.ts'); // with the YAML reader
    return settle(all, await readConfigurationFile(name, cwd, said), {env, cwd}, onMissing);
  };
  return {options: read.options, first: await again(), again};
};

const printConfig = async (settled: Settled, isJson: boolean, {env, stdout}: CliIo): Promise<number> => {
  const [{configAsJson, configAsYaml}, {defaultValues}] = await Promise.all([
    import('../configuration/print-config.ts'),
    import('@palisade/server/default-values'),
  ]);
  const defaults = defaultValues(settled.config, env);
  stdout.write(isJson ? configAsJson(settled, defaults) : configAsYaml(settled, defaults));
  return EXIT.ok;
};

const run = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options, first, again} = await readConfiguration(words, io);
  if (options['print-config']) return printConfig(first, options.json, io);
  const {config, inFileWords} = first;
  const log = createLogger(config.logLevel);
  const source = reloadSource(first, again, log);
  let server: RunningServer | undefined;
  let reloadWhenUp = false;
  const signal = signals(io, () => {
    log.info({signal: 'SIGHUP'}, options.config === undefined ? RELOADING_FILES : RELOADING_ALL);
    if (server === undefined) reloadWhenUp = true;
    else void server.reload(source); // never rejects; each part logs its outcome
  });
  const {startServer} = await import('@palisade/server/server'); // the other commands start without it
  try {
    server = await startServer(config, log, signal, {consoleDir: consoleFolder()});
  } catch (error) {
    if (!signal.aborted)
      throw error instanceof CommandError ? new CommandError(inFileWords(error.message), {cause: error}) : error;
    // A signal to the whole group also ends what a step had started, and so the step.
    const broken = error === signal.reason ? {} : {err: error};
    log.info({signal: signal.reason, ...broken}, 'stopped while it was starting');
    return EXIT.ok;
  }
  io.stdout.write(`${JSON.stringify(server.ready)}\n`);
  if (reloadWhenUp) void server.reload(source);
  await aborted(signal);
  log.info({signal: signal.reason}, 'draining');
  await server.stop();
  return EXIT.ok;
};

export const serve: Command = {
  name: 'serve',
  group: 'server',
  summary: 'run the control plane: both APIs, the store and the sensors',
  usage: '[--data DIR] [--https HOST:PORT] [--auth none | --token-auth-file FILE] [--config FILE] [flags]',
  notes: [
    'Without flags: HTTPS on 127.0.0.1:6443 with a CA of its own; the kubeconfig in the data folder has an administrator certificate.',
    'With --auth none, or with --http and --token-auth-file, no HTTPS port opens unless --https is given. gRPC is on the HTTPS port too.',
    'Every flag is also a key of the configuration file, in camel case: tokenAuthFile. The flag counts if both give a value.',
    'The default data folder is $XDG_STATE_HOME/palisade, or ~/.local/state/palisade if XDG_STATE_HOME is not set.',
  ],
  options: serveOptions,
  signals: [
    ['SIGTERM, SIGINT', 'stop after running requests; a second signal, 1 s or more later, stops at once'],
    ['SIGHUP', 'reload --config, certificate, tokens, rules, audit policy; at a terminal: stop'],
  ],
  examples: [
    'palisade serve',
    'palisade serve --auth none',
    'palisade serve --data ./data --http 127.0.0.1:8080 --grpc 127.0.0.1:8080 --auth none',
    'palisade serve --https 0.0.0.0:6443 --token-auth-file tokens.csv --locations europe-west1-b',
    'palisade serve --https 0.0.0.0:6443 --tls-cert server.crt --tls-key server.key --client-ca-file staff-ca.crt',
    'palisade serve --config palisade.yaml',
    'palisade serve --auth none --export syslog+tcp://10.0.0.5:514',
    'palisade serve --config palisade.yaml --print-config',
    'palisade serve --auth none --compat kubernetes --apis kubernetes',
    'palisade serve --auth none --driver relay --rules my.rules --endpoint-pool 10.77.0.0/16',
  ],
  outlivesReader: true,
  run,
};
