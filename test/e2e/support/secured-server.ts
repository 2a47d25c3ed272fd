// SPDX-License-Identifier: Apache-2.0
/** A server as users run it: HTTPS with its own certificate, tokens from a file. It can be killed and started again on the same port. */
import {mkdirSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {type RunningServer, serve} from '../../support/palisade.ts';

export const ADMIN_TOKEN = 'admintoken';
export const READER_TOKEN = 'readertoken';
export const OTHER_TOKEN = 'othertoken';

/** Below the range that systems give out by themselves, so that nobody takes it while the server is down for a restart. */
const FIRST_PORT = 20_000;
const PORTS = 10_000;

const isFree = (port: number): Promise<boolean> =>
  new Promise(done => {
    const probe = createServer();
    probe.once('error', () => done(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)));
  });

const freePort = async (): Promise<number> => {
  let port = FIRST_PORT + (process.pid % PORTS);
  while (!(await isFree(port))) port += 1;
  return port;
};

export type SecuredServer = {
  /** `https://127.0.0.1:PORT`, the same after a restart. */
  readonly url: string;
  /** The same server over plain HTTP; the port may change with a restart. */
  http(): string;
  readonly caFile: string;
  readonly data: string;
  /**
   * A new process over the same data and port, after kill -9 or another signal; `between` runs while there is no process. Gives the
   * exit code of the old one; null: killed.
   */
  restart(signal?: NodeJS.Signals, between?: () => Promise<void>): Promise<number | null>;
  stop(): Promise<number | null>;
  /** Log lines of level error and fatal, and what is no log line, of all its processes. */
  errors(): string[];
  /** Log lines with this message, of all its processes. */
  warnings(message: string): string[];
};

/** Users: `admin` in system:masters, `reader` and `other` without any right. */
export const startSecured = async (dir: string, more: readonly string[] = []): Promise<SecuredServer> => {
  const tokens = join(dir, 'tokens.csv');
  mkdirSync(dir, {recursive: true});
  const lines = [
    `${ADMIN_TOKEN},admin,u1,"system:masters"`,
    `${READER_TOKEN},reader,u2,"readers"`,
    `${OTHER_TOKEN},other,u3`,
  ];
  writeFileSync(tokens, `${lines.join('\n')}\n`, {mode: 0o600});
  const data = join(dir, 'data');
  const https = `127.0.0.1:${await freePort()}`;
  const flags = [
    ...['--data', data, '--http', '127.0.0.1:0', '--https', https],
    ...['--token-auth-file', tokens, '--log-level', 'warn', ...more],
  ];
  let running: RunningServer = await serve(flags);
  let said = '';
  return {
    url: `https://${https}`,
    http: () => running.ready.http,
    caFile: join(data, 'pki/ca.crt'),
    data,
    restart: async (signal = 'SIGKILL', between = async () => {}) => {
      const code = await running.stop(signal);
      said += running.stderr();
      await between();
      running = await serve(flags);
      return code;
    },
    stop: () => running.stop(),
    warnings: message =>
      (said + running.stderr()).split('\n').filter(line => line.includes(`"msg":${JSON.stringify(message)}`)),
    errors: () =>
      (said + running.stderr()).split('\n').filter(line => line !== '' && !/^\{"level":(10|20|30|40),/.test(line)),
  };
};
