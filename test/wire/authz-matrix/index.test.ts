// SPDX-License-Identifier: Apache-2.0
/**
 * Who may do what, over every route of both APIs: the tables of this folder, written by hand, against a running server. A route
 * without a row fails, and so does a cell that a request does not confirm. What is asked for does not exist, so a refusal that came
 * after the search would be 404.
 */
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {matchRoute} from '../../../packages/ids/src/http/routes.ts';
import {callMethod, servedMethods} from './grpc.ts';
import {documents, routerSides, servedPaths, servedResources, servedRest} from './served.ts';
import {ANONYMOUS, COLUMNS, MatrixServer, type Sent} from './server.ts';
import {type Case, casesOf, mismatches, type Row, readTable} from './table.ts';

let server: MatrixServer;
beforeAll(async () => {
  server = await MatrixServer.start();
});
afterAll(() => server.close());

const KUBERNETES = readTable('kubernetes.txt', 2);
const PATHS = readTable('paths.txt', 2);
const REST = readTable('ids-rest.txt', 3);
const GRPC = readTable('ids-grpc.txt', 3);

const wordOf = ({words}: Row, index: number): string => words[index] ?? '';
const routeOf = (row: Row): string => `${wordOf(row, 0)} ${wordOf(row, 1)}`;
const sorted = (texts: Iterable<string>): string[] => [...texts].sort();
const inPlace = (text: string, {namespace}: Case): string => text.replaceAll('{ns}', namespace);

/** An answer that is neither a refusal nor a failure of the server or of this test. */
const isServed = (status: number): boolean => status < 500 && ![401, 403, 429].includes(status);

describe('every route has its row', () => {
  test.each([
    ['kubernetes.txt', KUBERNETES],
    ['paths.txt', PATHS],
    ['ids-rest.txt', REST],
    ['ids-grpc.txt', GRPC],
  ])('%s has a cell for each user, and each route once', (_, rows) => {
    for (const {cells} of rows) expect(sorted(cells.keys())).toEqual(sorted(COLUMNS));
    const routes = rows.map(routeOf);
    expect(routes).toEqual([...new Set(routes)]);
  });

  test('resource, verb and subresource of the Kubernetes side', async () => {
    expect(sorted(KUBERNETES.map(routeOf))).toEqual(sorted(await servedResources(server)));
  });

  test('path of the Kubernetes side that is no resource', async () => {
    const [listed = [], unlisted = []] = splitAt(PATHS, '/');
    const served = await servedPaths(server);
    expect(sorted(listed)).toEqual(sorted(served));
    expect(unlisted.filter(path => served.includes(path))).toEqual([]);
  });

  test('side of the router and document of the composition root', () => {
    // A new one may serve paths that neither discovery nor / list: give them rows, then name it here.
    expect(routerSides()).toEqual(['kubernetes', 'ids', 'grpc', 'token', 'console', 'metrics', 'health']);
    expect(documents()).toEqual([
      'parts.metrics.document',
      'parts.audit.document',
      'parts.backup.document',
      '...parts.accounts.documents',
    ]);
  });

  test('REST route of the IDS side', () => {
    const without: string[] = [];
    const served = servedRest();
    const found = new Set(REST.map(row => matchOf(served, row)));
    expect(REST.filter(row => matchOf(served, row) === undefined).map(routeOf)).toEqual([]);
    for (const route of Object.values(served).flat())
      if (!found.has(route)) without.push(`${route.method} ${route.path}`);
    expect(without).toEqual([]);
  });

  test('gRPC method', async () => {
    const methods = await servedMethods();
    expect(sorted(GRPC.map(row => wordOf(row, 0)))).toEqual(sorted(methods));
  });
});

/** Paths before a row, and from it on. */
const splitAt = (rows: readonly Row[], path: string): readonly (readonly string[])[] => {
  const paths = rows.map(row => wordOf(row, 1));
  const at = paths.indexOf(path);
  return [paths.slice(0, at), paths.slice(at)];
};

const matchOf = (served: ReturnType<typeof servedRest>, row: Row) => {
  const [path = ''] = wordOf(row, 1).replaceAll('{ns}', 'own').split('?');
  const root = path.startsWith('/compute/v1/') ? '/compute/v1/' : '/v1/';
  return matchRoute(served[root], wordOf(row, 0), path.slice(root.length))?.route;
};

const METHODS: Readonly<Record<string, string>> = {
  create: 'POST',
  delete: 'DELETE',
  deletecollection: 'DELETE',
  get: 'GET',
  list: 'GET',
  patch: 'PATCH',
  update: 'PUT',
  watch: 'GET',
};
/** Writes stop at their body, which cannot be read, and deletions are dry runs: no request changes what the others find. */
const SENT: Readonly<Record<string, Sent>> = {
  create: {body: '['},
  update: {body: '['},
  patch: {body: '[', type: 'application/merge-patch+json'},
  watch: {headOnly: true},
};
const QUERY: Readonly<Record<string, string>> = {
  watch: '?watch=true',
  delete: '?dryRun=All',
  deletecollection: '?dryRun=All',
};

describe('each cell is what a request gets', () => {
  test('E-252 I-097 403 before 404 on the Kubernetes side', async () => {
    const faults = await mismatches(casesOf(KUBERNETES), async each => {
      const [verb = '', path = ''] = each.row.words;
      const target = inPlace(path, each) + (QUERY[verb] ?? '');
      const {status} = await server.send(each.user, METHODS[verb] ?? '', target, SENT[verb]);
      return (each.isAllowed ? isServed(status) : status === 403) ? undefined : String(status);
    });
    expect(faults).toEqual([]);
  });

  test('E-252 paths that are no resources', async () => {
    const faults = await mismatches(casesOf(PATHS), async ({row, user, isAllowed}) => {
      const {status} = await server.send(user, wordOf(row, 0).toUpperCase(), wordOf(row, 1));
      return (isAllowed ? isServed(status) : status === 403) ? undefined : String(status);
    });
    expect(faults).toEqual([]);
  });

  test('I-097 I-114 REST of the IDS side: 401, or 403 that names permission and resource', async () => {
    const faults = await mismatches(casesOf(REST), async each => {
      const {row, user, isAllowed} = each;
      const [method = '', path = '', permission = ''] = row.words;
      const body = method === 'GET' || method === 'DELETE' ? undefined : '{}';
      const {status, text} = await server.send(user, method, inPlace(path, each), {body, headOnly: path.includes('?')});
      if (isAllowed) return isServed(status) ? undefined : String(status);
      if (user === ANONYMOUS) return status === 401 ? undefined : String(status);
      const isNamed = text.includes(`Permission '${permission}' denied on resource '//`);
      return status === 403 && isNamed ? undefined : `${status} ${text}`;
    });
    expect(faults).toEqual([]);
  });

  test('I-097 I-114 gRPC of the IDS side: UNAUTHENTICATED, or PERMISSION_DENIED that names permission and resource', async () => {
    const transports = new Map(COLUMNS.map(user => [user, server.transport(user)]));
    const faults = await mismatches(casesOf(GRPC), async each => {
      const {row, user, isAllowed} = each;
      const [method = '', request = '', permission = ''] = row.words;
      const [field = '', value] = inPlace(request, each).split('=');
      const transport = transports.get(user);
      if (transport === undefined) throw new Error(user);
      const {code, message} = await callMethod(transport, method, value === undefined ? {} : {[field]: value});
      const got = `${code} ${message}`;
      if (isAllowed) return ['OK', 'NotFound', 'InvalidArgument'].includes(code) ? undefined : got;
      if (user === ANONYMOUS) return code === 'Unauthenticated' ? undefined : got;
      const isNamed = message.startsWith(`Permission '${permission}' denied on resource '//`);
      return code === 'PermissionDenied' && isNamed ? undefined : got;
    });
    expect(faults).toEqual([]);
  });
});
