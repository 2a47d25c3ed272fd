// SPDX-License-Identifier: Apache-2.0
/** A server as users run it: HTTPS with its own certificate, tokens from a file. It can be killed and started again on the same port. */
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {type RunningServer, serve} from '../../support/palisade.ts';

export const ADMIN_TOKEN = 'admintoken';
export const READER_TOKEN = 'readertoken';

export type SecuredServer = {
  /** `https://127.0.0.1:PORT`, the same after a restart. */
  readonly url: string;
  /** The same server over plain HTTP; the port may change with a restart. */
  http(): string;
  readonly caFile: string;
  /** kill -9, then a new process over the same data and port. */
  restart(): Promise<void>;
  stop(): Promise<number | null>;
  stderr(): string;
};

/** Users: `admin` in system:masters, `reader` without any right. */
export const startSecured = async (dir: string, more: readonly string[] = []): Promise<SecuredServer> => {
  const tokens = join(dir, 'tokens.csv');
  mkdirSync(dir, {recursive: true});
  writeFileSync(tokens, `${ADMIN_TOKEN},admin,u1,"system:masters"\n${READER_TOKEN},reader,u2,"readers"\n`, {
    mode: 0o600,
  });
  const flags = (https: string): string[] => [
    ...['--data', join(dir, 'data'), '--http', '127.0.0.1:0', '--https', https],
    ...['--token-auth-file', tokens, '--log-level', 'warn', ...more],
  ];
  let running: RunningServer = await serve(flags('127.0.0.1:0'));
  const url = running.ready.https;
  if (url === undefined) throw new Error('the ready line names no https address');
  return {
    url,
    http: () => running.ready.http,
    caFile: join(dir, 'data/pki/ca.crt'),
    restart: async () => {
      await running.stop('SIGKILL');
      running = await serve(flags(new URL(url).host));
    },
    stop: () => running.stop(),
    stderr: () => running.stderr(),
  };
};
