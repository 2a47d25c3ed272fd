// SPDX-License-Identifier: Apache-2.0
import {kubeModule} from '@palisade/kinds';
import type {KindFixture} from './kind-fixture.ts';

const definition = kubeModule.kinds.find(({resource}) => resource === 'endpointgroups');
if (definition === undefined) throw new Error('the product has no kind endpointgroups');

const port = (number: number): object => ({name: `p${number}`, port: number, protocol: 'TCP'});

export const endpointGroupFixture: KindFixture = {
  definition,
  content: n => ({spec: {members: [{ip: '10.0.0.1', hostname: `h${n}`}], ports: [{port: 80, protocol: 'TCP'}]}}),
  differsAt: '.spec.members[ip="10.0.0.1"].hostname',
  owned: {
    'f:spec': {
      'f:members': {'k:{"ip":"10.0.0.1"}': {'.': {}, 'f:ip': {}, 'f:hostname': {}}},
      'f:ports': {'k:{"port":80,"protocol":"TCP"}': {'.': {}, 'f:port': {}, 'f:protocol': {}}},
    },
  },
  empty: {spec: {}, status: {ready: 0, total: 0}},
  generation: 1,
  lists: [
    {
      listType: 'map',
      path: ['spec', 'members'],
      item: (key, value = 0) => ({ip: `10.0.0.${key + 1}`, hostname: `h${value}`}),
      element: key => `k:{"ip":"10.0.0.${key + 1}"}`,
      differsAt: key => `[ip="10.0.0.${key + 1}"].hostname`,
      strategic: {mergeKey: 'ip'},
    },
    {
      listType: 'map',
      path: ['spec', 'ports'],
      item: (key, value = 0) => ({...port(80 + key), appProtocol: `example.com/v${value}`}),
      element: key => `k:{"port":${80 + key},"protocol":"TCP"}`,
      differsAt: key => `[port=${80 + key},protocol="TCP"].appProtocol`,
      strategic: {mergeKey: 'port'},
    },
  ],
  faulty: {
    content: {
      spec: {
        members: [{ip: '127.0.0.1'}],
        ports: [{port: 80, protocol: 'UDP', check: {timeoutSeconds: 301, httpGet: {path: 'x'}}}],
        panicThresholdPercent: 101,
      },
    },
    fields: [
      'spec.members[0].ip',
      'spec.ports[0].check',
      'spec.ports[0].check.httpGet.path',
      'spec.ports[0].check.timeoutSeconds',
      'spec.panicThresholdPercent',
    ],
  },
  unknown: {content: {spec: {members: [{ip: '10.0.0.1', colour: 'red'}]}}, path: 'spec.members[0].colour'},
  mistyped: {
    content: {spec: {ports: [{port: '80'}]}},
    text: 'json: cannot unmarshal string into Go struct field CheckedPort.spec.ports.port of type int32',
  },
  texts: {
    sentYaml:
      'spec:\n  panicThresholdPercent: 3\n  ports:\n  - port: 80\n  members:\n  - {nodeName: node-1, ip: 10.0.0.1}\n',
    sentJson: {
      spec: {
        panicThresholdPercent: 1,
        ports: [{check: {grpc: {service: 's'}, periodSeconds: 5}, port: 80}],
        members: [{nodeName: 'n', ip: '10.0.0.1'}],
      },
    },
    json: '"spec":{"members":[{"ip":"10.0.0.1","nodeName":"n"}],"ports":[{"port":80,"protocol":"TCP","check":{"grpc":{"service":"s"},"periodSeconds":5,"timeoutSeconds":1,"successThreshold":1,"failureThreshold":3,"jitterPercent":10}}],"panicThresholdPercent":1},"status":{"ready":0,"total":0}',
    yaml: [
      'spec:\n  members:\n  - ip: 10.0.0.1\n    nodeName: node-1\n  panicThresholdPercent: 3\n  ports:\n  - port: 80\n    protocol: TCP\nstatus:\n  ready: 0\n  total: 0\n',
    ],
  },
  table: {columns: ['Ready', 'Composed', 'Ports'], cells: () => ['0/0', '', '80/TCP']},
  status: {ready: 1, total: 2},
};
