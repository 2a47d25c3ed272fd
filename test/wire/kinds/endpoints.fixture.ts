// SPDX-License-Identifier: Apache-2.0
import {endpointsKind} from '@palisade/kinds';
import type {KindFixture} from './kind-fixture.ts';

const subsetAt = (ip: string, port = 80): object => ({addresses: [{ip}], ports: [{port, protocol: 'TCP'}]});

export const endpointsFixture: KindFixture = {
  definition: endpointsKind,
  content: n => ({subsets: [subsetAt(`10.0.0.${n}`)]}),
  differsAt: '.subsets',
  owned: {'f:subsets': {}},
  empty: {},
  generation: 1,
  lists: [
    {
      listType: 'atomic',
      path: ['subsets'],
      item: (key, value = 0) => subsetAt(`10.0.0.${key}`, 80 + value),
      strategic: 'replace',
    },
  ],
  faulty: {
    content: {subsets: [{addresses: [{ip: '127.0.0.1', hostname: 'H'}], ports: [{port: 0, protocol: 'x'}]}]},
    fields: [
      'subsets[0].addresses[0].hostname',
      'subsets[0].addresses[0].ip',
      'subsets[0].ports[0].port',
      'subsets[0].ports[0].protocol',
    ],
  },
  unknown: {
    content: {subsets: [{addresses: [{ip: '10.0.0.1', colour: 'red'}]}]},
    path: 'subsets[0].addresses[0].colour',
  },
  mistyped: {
    content: {subsets: [{addresses: [{ip: '10.0.0.1'}], ports: [{port: '80'}]}]},
    text: 'json: cannot unmarshal string into Go struct field EndpointPort.subsets.ports.port of type int32',
  },
  texts: {
    sentYaml: 'subsets:\n- ports:\n  - port: 80\n  addresses:\n  - {nodeName: node-1, ip: 10.0.0.1}\n',
    sentJson: {
      subsets: [
        {ports: [{port: 1}], notReadyAddresses: [{nodeName: 'n', ip: '10.0.0.2'}], addresses: [{ip: '10.0.0.1'}]},
      ],
    },
    json: '"subsets":[{"addresses":[{"ip":"10.0.0.1"}],"notReadyAddresses":[{"ip":"10.0.0.2","nodeName":"n"}],"ports":[{"port":1,"protocol":"TCP"}]}]',
    yaml: [
      'subsets:\n- addresses:\n  - ip: 10.0.0.1\n    nodeName: node-1\n  ports:\n  - port: 80\n    protocol: TCP\n',
    ],
  },
  table: {columns: ['Endpoints'], cells: n => [`10.0.0.${n}:80`]},
};
