// SPDX-License-Identifier: Apache-2.0
import {kubeModule} from '@palisade/kinds';
import type {KindFixture} from './kind-fixture.ts';

const definition = kubeModule.kinds.find(({resource}) => resource === 'endpointregistrations');
if (definition === undefined) throw new Error('EndpointRegistrations are not served');

/** Of the server, in every one: timers of the suites are fast, so the TTL is long. */
const set = {user: 'system:admin', removeAfterSeconds: 600};
const minimal = {group: 'web', addresses: ['10.0.0.1'], ttlSeconds: 86_400};

export const endpointRegistrationsFixture: KindFixture = {
  definition,
  minimal: {spec: minimal},
  content: n => ({spec: {...minimal, ...set, hostname: `h${n}`}}),
  differsAt: '.spec.hostname',
  owned: {
    'f:spec': {
      'f:addresses': {'v:"10.0.0.1"': {}},
      'f:group': {},
      'f:hostname': {},
      'f:removeAfterSeconds': {},
      'f:ttlSeconds': {},
    },
  },
  empty: {spec: {group: ''}, status: {}},
  given: {labels: {'platform.io/group': 'web'}, status: {state: 'Live'}},
  generation: 1,
  lists: [
    {
      listType: 'map',
      path: ['spec', 'ports'],
      item: (key, value = 1) => ({name: `p${key}`, port: 8_000 + key, protocol: 'TCP', appProtocol: `a${value}`}),
      sent: (key, value = 1) => ({name: `p${key}`, port: 8_000 + key, appProtocol: `a${value}`}),
      element: key => `k:{"port":${8_000 + key},"protocol":"TCP"}`,
      differsAt: key => `[port=${8_000 + key},protocol="TCP"].appProtocol`,
      strategic: {mergeKey: 'port'},
    },
  ],
  faulty: {
    content: {spec: {...minimal, hostname: 'a.b', ttlSeconds: 86_401}},
    fields: ['spec.hostname', 'spec.ttlSeconds'],
  },
  unknown: {content: {spec: {...minimal, colour: 'red'}}, path: 'spec.colour'},
  mistyped: {
    content: {spec: {...minimal, hostname: 1}},
    text: 'json: cannot unmarshal number into Go struct field EndpointRegistrationSpec.spec.hostname of type string',
  },
  immutable: {before: {spec: {group: 'a'}}, after: {spec: {group: 'b'}}, field: 'spec.group'},
  texts: {
    sentYaml: 'spec:\n  ttlSeconds: 86400\n  group: web\n  addresses: [10.0.0.1]\n',
    sentJson: {spec: {ttlSeconds: 86_400, addresses: ['10.0.0.1'], group: 'web'}},
    json: '"spec":{"group":"web","user":"system:admin","addresses":["10.0.0.1"],"ttlSeconds":86400,"removeAfterSeconds":600},"status":{"state":"Live"}',
    yaml: [
      'spec:\n  addresses:\n  - 10.0.0.1\n  group: web\n  removeAfterSeconds: 600\n  ttlSeconds: 86400\n  user: system:admin\nstatus:\n  state: Live\n',
    ],
  },
  table: {
    columns: ['Group', 'Addresses', 'State'],
    cells: () => ['web', '10.0.0.1', 'Live'],
    wide: {columns: ['User', 'TTL'], cells: () => ['system:admin', '24h']},
  },
  status: {state: 'Live', since: '2026-01-02T03:04:05.000000Z'},
  selectable: {field: 'spec.group', value: 'rare', content: {spec: {group: 'rare'}}},
};
