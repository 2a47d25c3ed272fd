// SPDX-License-Identifier: Apache-2.0
/** A real `palisade serve` with the built console, with or without sensors. */
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {RestClient} from '../../ids/rest-client.ts';
import {ServerLab} from '../../ids-e2e/lab/server-lab.ts';
import {scratch, serve} from '../../support/palisade.ts';
import {HOSTILE} from './hostile.ts';

/** Tokens of the file; long ones, which the limit of failed logins does not touch. */
const TOKENS = {
  /** Of the group system:masters. */
  admin: 'admin-token-of-the-console-tests-1',
  /** May read: the cluster roles `view` and `ids-viewer`, after `seedRoles`. */
  viewer: 'viewer-token-of-the-console-tests-2',
  /** No right but those of every user. */
  nobody: 'nobody-token-of-the-console-tests-3',
  /** As admin, with markup for a name. */
  hostile: 'hostile-token-of-the-console-tests-4',
} as const;
export type UserName = keyof typeof TOKENS;

const TOKEN_FILE = [
  `${TOKENS.admin},admin,u1,"system:masters"`,
  `${TOKENS.viewer},viewer,u2,"viewers"`,
  `${TOKENS.nobody},nobody,u3,"strangers"`,
  `${TOKENS.hostile},${HOSTILE},u4,"system:masters"`,
];

export type ConsoleServerOptions = {
  /** Default: none. */
  readonly auth?: 'none' | 'tokens';
  /** `url` is that of the port with TLS, which has a certificate of its own; default: cleartext. */
  readonly tls?: boolean;
  /** In a network namespace of its own, with real sensors; needs root and Suricata (`whyNot` of test/sensor/lab/lab.ts). */
  readonly sensors?: boolean;
  /** Rule files with sensors; default: the bundled ones. */
  readonly rules?: string;
  readonly flags?: readonly string[];
};

export type ConsoleServer = {
  /** The origin, as a browser of this machine reaches it. */
  readonly url: string;
  readonly tokens: Readonly<Record<UserName, string>>;
  /** Paths from `/v1/`, or from `/` if they begin with a slash; as admin. */
  readonly rest: RestClient;
  /** With sensors. */
  readonly lab: ServerLab | undefined;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const accessFlags = (dir: string, {auth = 'none'}: ConsoleServerOptions): string[] => {
  if (auth === 'none') return ['--auth', 'none'];
  const file = join(dir, 'tokens.csv');
  mkdirSync(dir, {recursive: true});
  writeFileSync(file, `${TOKEN_FILE.join('\n')}\n`, {mode: 0o600});
  return ['--token-auth-file', file];
};

const tlsFlags = ({tls = false}: ConsoleServerOptions): string[] => (tls ? ['--https', '127.0.0.1:0'] : []);

type Opened = {
  readonly url: string;
  /** The cleartext port, which always is open. */
  readonly http: string;
  readonly lab: ServerLab | undefined;
  readonly close: () => Promise<void>;
};

const verified = async ({http, close, ...opened}: Opened): Promise<ConsoleServer> => {
  const rest = new RestClient(http, {authorization: `Bearer ${TOKENS.admin}`});
  const page = await fetch(`${http}/console/`);
  if (page.ok) return {...opened, tokens: TOKENS, rest, [Symbol.asyncDispose]: close};
  await close();
  throw new Error(`${http}/console/ answers ${page.status}: ${(await page.text()).slice(0, 200)}`);
};

const withSensors = async (options: ConsoleServerOptions): Promise<ConsoleServer> => {
  const folder = scratch();
  const lab = await ServerLab.open({
    ...(options.rules === undefined ? {} : {rules: options.rules}),
    access: [...accessFlags(folder.dir, options), ...tlsFlags(options)],
    flags: options.flags ?? [],
  });
  const close = async (): Promise<void> => {
    await lab[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  };
  const http = `http://127.0.0.1:${await lab.forward('http')}`;
  const url = options.tls === true ? `https://127.0.0.1:${await lab.forward('https')}` : http;
  return verified({url, http, lab, close});
};

const withoutSensors = async (options: ConsoleServerOptions): Promise<ConsoleServer> => {
  const folder = scratch();
  const {ready, stop} = await serve([
    ...['--data', join(folder.dir, 'data'), '--http', '127.0.0.1:0', '--log-level', 'warn'],
    ...[...accessFlags(folder.dir, options), ...tlsFlags(options), ...(options.flags ?? [])],
  ]);
  const close = async (): Promise<void> => {
    await stop();
    folder[Symbol.dispose]();
  };
  return verified({url: ready.https ?? ready.http, http: ready.http, lab: undefined, close});
};

/** Rejects if the server has no built console. */
export const startConsoleServer = (options: ConsoleServerOptions = {}): Promise<ConsoleServer> =>
  options.sensors === true ? withSensors(options) : withoutSensors(options);

/** The bundled rules and `more`, for `rules`. */
export const bundledRulesAnd = (more: string): string =>
  ['cleartext', 'malware', 'policy', 'scanning', 'web-attacks']
    .map(name => readFileSync(`packages/sensor/rules/${name}.rules`, 'utf8'))
    .concat(more)
    .join('\n');
