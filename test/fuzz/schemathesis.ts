// SPDX-License-Identifier: Apache-2.0
/**
 * Sends requests that Schemathesis makes from our OpenAPI documents to a real server, and judges the answers by the documents.
 *
 *   node test/fuzz/schemathesis.ts --minutes 5             all documents, for 5 minutes of requests in all
 *   node test/fuzz/schemathesis.ts --document api/v1 …     one document, or more
 *   node test/fuzz/schemathesis.ts --seed 7 …              repeats a run
 *
 * Exit 1 on faults, and 0 with a line SKIPPED where the package index or python3 does not allow to install it. The documents are those of /openapi/v3 and /openapi/v2. The IDS API has none: Google publishes protobuf, and
 * test/ids/any-request.prop.test.ts sends it requests of any kind.
 *
 * Checks: no 5xx, and the media type and schema of every answer that the document describes. Not the list of status codes: as those of
 * kube-apiserver, the documents name 200, 201, 202 and 401 only, and 404, 409 or 422 are right answers too. Not "accepts what is valid"
 * and "refuses what is not": validation has rules that no schema says.
 * Version 2 says of IntOrString that it is a string, as kube-apiserver does: such schemas allow any value here.
 * Watches are left out, since they do not end.
 */
import {type ChildProcess, execFile, spawn} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {parseArgs, promisify} from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const VENV = join(ROOT, 'build/schemathesis');
const REQUIREMENTS = join(import.meta.dirname, 'schemathesis-requirements.txt');
const STAMP = join(VENV, 'installed.txt');
const CHECKS = 'not_a_server_error,content_type_conformance,response_schema_conformance';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Parameters that make an answer endless. */
const STREAMING: readonly string[] = ['watch', 'allowWatchBookmarks', 'sendInitialEvents', 'timeoutSeconds'];
const run = promisify(execFile);
const stopped = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => stopped.abort(new Error(`ended by ${name}`)));

const {values} = parseArgs({
  options: {
    minutes: {type: 'string', default: '10'},
    seed: {type: 'string'},
    document: {type: 'string', multiple: true},
  },
});
const seed = values.seed ?? String(Math.floor(Math.random() * 2 ** 31));
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** False: the package index or python3 does not allow it, which is reported. */
async function install(): Promise<boolean> {
  const wanted = readFileSync(REQUIREMENTS, 'utf8');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return true;
  print('schemathesis: installing the pinned packages into build/schemathesis (about half a minute)');
  rmSync(VENV, {recursive: true, force: true});
  mkdirSync(VENV, {recursive: true});
  try {
    await run('python3', ['-m', 'venv', VENV]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:'];
    await run(join(VENV, 'bin/python'), [...pip, '-r', REQUIREMENTS]);
  } catch (error) {
    const why = ((error as {stderr?: string}).stderr ?? String(error)).trim().split('\n').at(-1);
    print(`schemathesis: SKIPPED: it could not be installed: ${why}`);
    return false;
  }
  writeFileSync(STAMP, wanted);
  return true;
}

async function startServer(folder: string): Promise<{readonly url: string; readonly server: ChildProcess}> {
  const palisade = join(ROOT, 'node_modules/.bin/palisade');
  const server = spawn(palisade, ['serve', '--data', folder, '--http', '127.0.0.1:0', '--auth', 'none'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true, // Ctrl-C is for this script, which ends the server after the requests
  });
  for await (const line of createInterface({input: server.stdout as NodeJS.ReadableStream})) {
    return {url: (JSON.parse(line) as {http: string}).http, server};
  }
  throw new Error('the server did not start');
}

type Parameter = {readonly name?: string; readonly $ref?: string};
type Operation = {parameters?: Parameter[]};
type Document = {paths?: Record<string, Record<string, Operation> & Operation>};

const isStreaming = ({name = '', $ref = ''}: Parameter): boolean =>
  STREAMING.some(each => each === name || $ref.includes(`/${each}-`));

/** `{type: string, format: int-or-string}` anywhere: no type. */
function withoutIntOrString(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as {format?: unknown; type?: unknown};
  if (schema.format === 'int-or-string') delete schema.type;
  Object.values(value).forEach(withoutIntOrString);
}

/** Without watches; gives the number of operations that are left. */
function withoutWatches(document: Document): number {
  const paths = document.paths ?? {};
  let operations = 0;
  for (const [path, item] of Object.entries(paths)) {
    if (path.includes('/watch/')) delete paths[path];
    else
      for (const each of [item, ...METHODS.flatMap(method => item[method] ?? [])]) {
        if (each !== item) operations++;
        if (each.parameters !== undefined) each.parameters = each.parameters.filter(one => !isStreaming(one));
      }
  }
  return operations;
}

const fetchJson = async (url: string): Promise<unknown> => (await fetch(url)).json();

/** Addresses by name: `v2`, and `api/v1`, `apis/apps/v1`, … of version 3. */
async function addresses(url: string): Promise<Map<string, string>> {
  const {paths} = (await fetchJson(`${url}/openapi/v3`)) as {paths: Record<string, {serverRelativeURL: string}>};
  const all = Object.entries(paths).map(([name, {serverRelativeURL}]) => [name, url + serverRelativeURL] as const);
  return new Map([...all, ['v2', `${url}/openapi/v2`]]);
}

async function judge(
  url: string,
  file: string,
  seconds: number,
): Promise<{readonly isGood: boolean; readonly text: string}> {
  const options = [
    '--phases',
    'coverage,fuzzing',
    '--max-examples',
    '20',
    '--max-time',
    String(seconds),
    '--seed',
    seed,
  ];
  const output = [
    '--continue-on-failure',
    '--no-shrink',
    '--max-failures',
    '20',
    '--warnings',
    'off',
    '--request-timeout',
    '30',
  ];
  try {
    const {stdout} = await run(
      join(VENV, 'bin/st'),
      ['run', file, '--url', url, '--checks', CHECKS, ...options, ...output],
      {
        maxBuffer: 64 * 1024 * 1024,
        cwd: tmpdir(),
        signal: stopped.signal,
      },
    );
    return {isGood: true, text: stdout};
  } catch (error) {
    stopped.signal.throwIfAborted();
    const {stdout = '', stderr = ''} = error as {stdout?: string; stderr?: string};
    return {isGood: false, text: `${stdout}\n${stderr}`};
  }
}

async function judgeAll(url: string, folder: string): Promise<number> {
  const all = await addresses(url);
  const unknown = (values.document ?? []).filter(name => !all.has(name));
  if (unknown.length > 0) throw new Error(`unknown document ${unknown.join(', ')}; use ${[...all.keys()].join(', ')}`);
  const wanted = [...all].filter(([name]) => values.document?.includes(name) ?? true);
  const documents: {name: string; file: string; operations: number}[] = [];
  for (const [at, [name, address]] of wanted.entries()) {
    const document = (await fetchJson(address)) as Document;
    const operations = withoutWatches(document);
    withoutIntOrString(document);
    const file = join(folder, `${at}.json`);
    writeFileSync(file, JSON.stringify(document));
    if (operations > 0) documents.push({name, file, operations});
  }
  const total = documents.reduce((sum, {operations}) => sum + operations, 0);
  let faulty = 0;
  for (const {name, file, operations} of documents) {
    const seconds = Math.max(5, Math.round((Number(values.minutes) * 60 * operations) / total));
    const {isGood: isSound, text} = await judge(url, file, seconds);
    const cases = /(\d+) generated/.exec(text)?.[1] ?? '0';
    const isGood = isSound && cases !== '0';
    print(`schemathesis: ${name}: ${operations} operations, ${cases} requests, ${isGood ? 'no faults' : 'FAULTS'}`);
    if (!isGood) print(text);
    if (!isGood) faulty++;
  }
  print(`schemathesis: seed ${seed}: ${documents.length} documents, ${total} operations, ${faulty} with faults`);
  return faulty;
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const {promise, resolve} = Promise.withResolvers<void>();
  server.once('exit', () => resolve());
  server.kill('SIGTERM');
  await promise;
}

async function main(): Promise<void> {
  if (!(await install())) return;
  const folder = mkdtempSync(join(tmpdir(), 'palisade-schemathesis-'));
  try {
    const {url, server} = await startServer(join(folder, 'data'));
    try {
      if ((await judgeAll(url, folder)) > 0) process.exitCode = 1;
      if (server.exitCode !== null) throw new Error(`the server has ended with exit code ${server.exitCode}`);
    } finally {
      await end(server);
    }
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}

await main();
