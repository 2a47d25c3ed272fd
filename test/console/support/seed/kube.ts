// SPDX-License-Identifier: Apache-2.0
/** Namespaces, Endpoints, Services and Events as an estate of several teams has them, and the rights of the users. */
import type {ConsoleServer} from '../console-server.ts';
import {HOSTILE, HOSTILE_ATTRIBUTE, HOSTILE_LINK, HOSTILE_SCRIPT} from '../hostile.ts';
import {type Send, sender} from './sender.ts';

const NAMESPACES = ['shop', 'payments', 'search'] as const;
type Namespace = (typeof NAMESPACES)[number];

/** Names of what `seedKube` makes. */
export const SEEDED = {
  namespaces: NAMESPACES,
  /** `shop/web`: 3 of 4 addresses ready, two named ports, three field managers, an Event. */
  partlyReady: {namespace: 'shop', name: 'web'},
  /** `payments/api`: no address is ready. */
  failing: {namespace: 'payments', name: 'api'},
  /** `search/index`: two subsets with different ports, IPv6 in one. */
  twoSubsets: {namespace: 'search', name: 'index'},
  /** `shop/leaving`: deleted, a finalizer holds it. */
  blocked: {namespace: 'shop', name: 'leaving'},
  /** `search/hostile`: markup in every field that permits it. */
  hostile: {namespace: 'search', name: 'hostile'},
  /** `search/empty`: no subset. */
  empty: {namespace: 'search', name: 'empty'},
  /** All of them. */
  count: 9,
} as const;

const endpointsPath = (namespace: Namespace): string => `/api/v1/namespaces/${namespace}/endpoints`;
const http = {name: 'http', port: 8080, protocol: 'TCP', appProtocol: 'http'};
const metrics = {name: 'metrics', port: 9100, protocol: 'TCP'};
const ips = (net: string, from: number, count: number): object[] =>
  Array.from({length: count}, (_, i) => ({ip: `${net}.${from + i}`, hostname: `node-${from + i}`}));

const set = (
  name: string,
  subsets: readonly object[],
  more: {readonly labels?: object; readonly annotations?: object; readonly finalizers?: readonly string[]} = {},
): object => ({apiVersion: 'v1', kind: 'Endpoints', metadata: {name, ...more}, subsets});

const service = (name: string, ports: readonly object[]): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {name},
  spec: {clusterIP: 'None', ports},
});

const event = (namespace: string, name: string, type: string, reason: string, message: string): object => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: {generateName: `${name}-`, namespace},
  involvedObject: {apiVersion: 'v1', kind: 'Endpoints', name, namespace},
  type,
  reason,
  message,
  source: {component: 'deployer'},
  firstTimestamp: new Date().toISOString(),
  lastTimestamp: new Date().toISOString(),
  count: 3,
});

const ordinarySets = async (send: Send): Promise<void> => {
  const web = [{addresses: ips('10.20.1', 11, 3), notReadyAddresses: ips('10.20.1', 14, 1), ports: [http, metrics]}];
  const v6 = [{ip: '2001:db8::11'}, {ip: '2001:db8::12'}];
  const index = [
    {addresses: ips('10.40.1', 1, 2), ports: [{name: 'http', port: 9200, protocol: 'TCP'}]},
    {
      addresses: v6,
      ports: [
        {name: 'transport', port: 9300, protocol: 'TCP'},
        {name: 'gossip', port: 7946, protocol: 'UDP'},
      ],
    },
  ];
  await Promise.all([
    send('POST', endpointsPath('shop'), set('web', web, {labels: {app: 'web', tier: 'front', team: 'shop'}}), {
      fieldManager: 'deployer',
    }),
    send(
      'POST',
      endpointsPath('shop'),
      set('cart', [{addresses: ips('10.20.2', 1, 6), ports: [http]}], {labels: {app: 'cart', team: 'shop'}}),
    ),
    send(
      'POST',
      endpointsPath('payments'),
      set(
        'api',
        [
          {
            notReadyAddresses: ips('10.30.1', 1, 3),
            ports: [{...http, port: 8443, name: 'https', appProtocol: 'https'}],
          },
        ],
        {labels: {app: 'api', team: 'payments'}},
      ),
    ),
    send(
      'POST',
      endpointsPath('payments'),
      set('ledger', [{addresses: ips('10.30.2', 1, 2), ports: [{name: 'pg', port: 5432, protocol: 'TCP'}]}], {
        labels: {app: 'ledger', team: 'payments'},
      }),
    ),
    send('POST', endpointsPath('search'), set('index', index, {labels: {app: 'index', team: 'search'}})),
    send('POST', endpointsPath('search'), set('empty', [])),
    send(
      'POST',
      endpointsPath('search'),
      set('dns', [{addresses: ips('10.40.2', 53, 1), ports: [{name: 'dns', port: 53, protocol: 'UDP'}]}]),
    ),
  ]);
};

/** Three managers of `shop/web`: the deployer created it, one applies a label, one edits an annotation. */
const managers = async (send: Send): Promise<void> => {
  const path = `${endpointsPath('shop')}/web`;
  const applied = {apiVersion: 'v1', kind: 'Endpoints', metadata: {name: 'web', labels: {cost: 'c-17'}}};
  await send('APPLY', path, applied, {fieldManager: 'terraform', force: 'true'});
  await send(
    'PATCH',
    path,
    {metadata: {annotations: {'shop.example/owner': 'web team'}}},
    {fieldManager: 'kubectl-edit'},
  );
};

const deletionBlocked = async (send: Send): Promise<void> => {
  const leaving = set('leaving', [{addresses: ips('10.20.3', 1, 1), ports: [http]}], {
    finalizers: ['shop.example/drain'],
  });
  await send('POST', endpointsPath('shop'), leaving);
  await send('DELETE', `${endpointsPath('shop')}/leaving`, {});
};

const hostileSet = async (send: Send): Promise<void> => {
  const target = {kind: HOSTILE, name: HOSTILE, namespace: 'search', uid: HOSTILE_ATTRIBUTE};
  const subsets = [
    {addresses: [{ip: '10.66.6.6', targetRef: target}], ports: [{name: 'http', port: 8080, protocol: 'TCP'}]},
  ];
  const annotations = {
    'hostile.example/a': HOSTILE,
    'hostile.example/b': HOSTILE_SCRIPT,
    'hostile.example/link': HOSTILE_LINK,
  };
  await send('POST', endpointsPath('search'), set('hostile', subsets, {annotations, labels: {app: 'hostile'}}), {
    fieldManager: HOSTILE,
  });
  await send(
    'POST',
    '/api/v1/namespaces/search/events',
    event('search', 'hostile', 'Warning', 'Hostile', `${HOSTILE}${HOSTILE_SCRIPT}${HOSTILE_ATTRIBUTE}`),
  );
};

/** `view` and `ids-viewer` for the group of the user `viewer`. */
export const seedRoles = async (server: ConsoleServer): Promise<void> => {
  const send = sender(server);
  const binding = (role: string): Promise<void> =>
    send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: {name: `viewers-${role}`},
      roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role},
      subjects: [{apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'viewers'}],
    });
  await Promise.all(['view', 'ids-viewer'].map(binding));
};

/** Rejects with the server's answer if it refuses one of the objects. */
export const seedKube = async (server: ConsoleServer): Promise<void> => {
  const send = sender(server);
  await Promise.all(
    NAMESPACES.map(name => send('POST', '/api/v1/namespaces', {metadata: {name, labels: {team: name}}})),
  );
  const web = service('web', [
    {name: 'http', port: 8080},
    {name: 'metrics', port: 9100},
  ]);
  const message = 'address 10.20.1.14 failed 3 checks: connection refused';
  await Promise.all([
    ordinarySets(send).then(() => managers(send)),
    deletionBlocked(send),
    hostileSet(send),
    send('POST', '/api/v1/namespaces/shop/services', web),
    send('POST', '/api/v1/namespaces/shop/events', event('shop', 'web', 'Warning', 'MemberNotReady', message)),
  ]);
};
