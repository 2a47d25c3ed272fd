// SPDX-License-Identifier: Apache-2.0
/** `palisade audit`: users, their requests and the results, from the audit log of the data folder, of a file or of a running server. */
import {stat} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import type {AuditEvent} from '@palisade/apiserver';
import {whyUnreadable} from '@palisade/engine/file-faults';
import {
  AUDIT_FILE,
  AUDIT_FOLDER,
  type AuditQuery,
  parseAuditLine,
  parseAuditWords,
  readAudit,
} from '@palisade/server/audit-log';
import {defaultDataDir} from '@palisade/server/data-folder';
import {holdingTimers, systemClock} from '@palisade/server/system';
import type {Command} from '../command-line/command.ts';
import {type CliIo, CommandError, EXIT, UsageError} from '../command-line/io.ts';
import {type Parsed, parseOptions} from '../command-line/options.ts';
import {terminalJson} from '../command-line/terminal-text.ts';
import {namedServer} from '../connection/connection.ts';
import {withKubeClient} from '../connection/kube-connection.ts';
import {auditFlags} from './audit-flags.ts';
import {AuditTable} from './audit-table.ts';

/** The server sends an empty line more often. */
const SILENCE_MS = 60_000;

type Flags = Parsed<typeof auditFlags>;
type Words = Readonly<Record<string, string | undefined>>;

/** The parameters of `GET /audit`. */
const wordsOf = (flags: Flags): Words => {
  const {user, since, until, verb, resource, namespace, name, decision, code, limit} = flags;
  return {
    ...{user, since, until, verb, resource, namespace, name, decision, code, limit},
    follow: flags.follow ? '1' : undefined,
    stages: flags['all-stages'] ? 'all' : undefined,
  };
};

/** Throws UsageError with every fault. */
const queryOf = (flags: Flags, words: Words): AuditQuery => {
  const {query, faults} = parseAuditWords(words, systemClock.now(), name => `--${name}`);
  const places = (['file', 'data', 'server'] as const).filter(name => flags[name] !== undefined);
  const together =
    places.length > 1 ? [`${places.map(name => `--${name}`).join(' and ')} cannot be used together`] : [];
  const all = [...faults, ...together];
  if (all.length > 0) throw new UsageError(all.join('\n'));
  return query;
};

/** Where the log is, where it is read from this machine; undefined: a server is asked. */
const localFile = ({file, data, ...flags}: Flags, {env, cwd}: CliIo): string | undefined => {
  if (file !== undefined) return resolve(cwd, file);
  if (data !== undefined) return join(resolve(cwd, data), AUDIT_FOLDER, AUDIT_FILE);
  const isServerNamed = namedServer(flags, env) !== undefined || (env['KUBECONFIG'] ?? '') !== '';
  return isServerNamed ? undefined : join(defaultDataDir(env), AUDIT_FOLDER, AUDIT_FILE);
};

/** Throws CommandError where there is no log. */
async function* eventsOfFile(file: string, query: AuditQuery): AsyncGenerator<AuditEvent> {
  try {
    await stat(file);
    yield* readAudit(file, query, {timers: holdingTimers, signal: new AbortController().signal});
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).syscall !== 'string') throw error;
    const wayOut = 'give its file with --file, its data folder with --data, or ask a server with --server';
    throw new CommandError(`audit log ${file}: ${whyUnreadable(error)}; ${wayOut}`, {cause: error});
  }
}

async function* eventsOfLines(lines: AsyncIterable<string>): AsyncGenerator<AuditEvent> {
  for await (const line of lines) {
    const event = parseAuditLine(line);
    if (event !== undefined) yield event;
    else throwIfEnded(line);
  }
}

/** The last line of a stream whose reader may no longer read it. */
const throwIfEnded = (line: string): void => {
  let status: {kind?: unknown; message?: unknown} | null;
  try {
    status = JSON.parse(line);
  } catch {
    return; // cut by a connection that broke
  }
  if (status?.kind === 'Status') throw new CommandError(`the server ended the stream: ${status.message}`);
};

/** Rows that are printed together, with columns of one width. */
const PAGE_ROWS = 500;

const print = async (
  events: AsyncIterable<AuditEvent>,
  {json, follow}: Pick<Flags, 'json' | 'follow'>,
  {stdout}: CliIo,
): Promise<boolean> => {
  const table = new AuditTable();
  let isAny = false;
  let page: AuditEvent[] = [];
  const flush = (): void => {
    if (page.length > 0) stdout.write(table.page(page));
    page = [];
  };
  try {
    for await (const event of events) {
      isAny = true;
      if (json) stdout.write(`${terminalJson(event)}\n`);
      else if (page.push(event) >= (follow ? 1 : PAGE_ROWS)) flush();
    }
  } finally {
    flush();
  }
  return isAny;
};

const run = async (words: readonly string[], io: CliIo): Promise<number> => {
  const flags = parseOptions(words, auditFlags).options;
  const asked = wordsOf(flags);
  const query = queryOf(flags, asked);
  const file = localFile(flags, io);
  const isAny =
    file === undefined
      ? await withKubeClient(flags, io, client =>
          print(eventsOfLines(client.getLines('/audit', {query: asked, silenceMs: SILENCE_MS})), flags, io),
        )
      : await print(eventsOfFile(file, query), flags, io);
  if (!isAny && !flags.json) io.stderr.write('palisade: no audit events match\n');
  return EXIT.ok;
};

export const audit: Command = {
  name: 'audit',
  group: 'server',
  summary: 'print the audit log: users, their requests and the results',
  usage: '[--user USER] [--since T] [--until T] [--verb V] [--resource R] [--decision forbid] [--follow] [--json]',
  notes: [
    'Without --file, --data and --server: the server of PALISADE_SERVER or KUBECONFIG, else the log in the default data folder.',
    'A server shows its log to users with the verb get on the path /audit (ClusterRole palisade:auditor).',
    'One row is one request that ended; a stream or watch has a row when it starts, too, with a code such as "200...".',
    '"bob (anna)" means that anna acted as bob.',
    'RESOURCE is NAME[.GROUP][/SUBRESOURCE], as in the table; "endpoints" matches both APIs, "endpoints." only the core group.',
    'With --follow and without --since, requests from now on are printed.',
  ],
  options: auditFlags,
  environment: ['PALISADE_SERVER', 'KUBECONFIG', 'PALISADE_TOKEN'],
  examples: [
    'palisade audit --user anna --since 1h',
    'palisade audit --decision forbid --since 1d --json',
    'palisade audit --resource endpoints/threats --follow',
    'palisade audit --data ./data --verb delete --namespace shop',
    'palisade audit --server https://127.0.0.1:6443 --code 403 --limit 20',
  ],
  run,
};
