// SPDX-License-Identifier: Apache-2.0
import {gadgetKind} from './gadget.ts';
import type {KindFixture} from './kind-fixture.ts';

const BIG = 9_007_199_254_740_991;

export const gadgetFixture: KindFixture = {
  definition: gadgetKind,
  content: n => ({
    colour: 'red',
    serial: BIG,
    data: {k: `v${n}`},
    limits: {high: '2'},
    doors: [{port: 80, protocol: 'TCP', note: ''}],
    codes: ['c'],
    sizes: [7],
    ratio: 1.5,
    seal: '/+8=',
  }),
  differsAt: '.data.k',
  owned: {
    'f:codes': {'v:"c"': {}},
    'f:colour': {},
    'f:data': {'f:k': {}},
    'f:doors': {'k:{"port":80,"protocol":"TCP"}': {'.': {}, 'f:note': {}, 'f:port': {}, 'f:protocol': {}}},
    'f:limits': {},
    'f:ratio': {},
    'f:seal': {},
    'f:serial': {},
    'f:sizes': {'v:7': {}},
  },
  minimal: {colour: 'grey'},
  empty: {},
  lists: [
    {
      listType: 'map',
      path: ['doors'],
      item: (key, value = 1) => ({port: 80 + key, protocol: 'TCP', note: `n${value}`}),
      sent: (key, value = 1) => ({port: 80 + key, note: `n${value}`}),
      element: key => `k:{"port":${80 + key},"protocol":"TCP"}`,
      differsAt: key => `[port=${80 + key},protocol="TCP"].note`,
      strategic: {mergeKey: 'port'},
    },
    {
      listType: 'set',
      path: ['codes'],
      item: key => `c${key}`,
      element: key => `v:"c${key}"`,
      strategic: 'replace',
    },
    {
      listType: 'set',
      path: ['sizes'],
      item: key => 10 + key,
      element: key => `v:${10 + key}`,
      strategic: 'by value',
    },
  ],
  faulty: {content: {colour: 'none', doors: [{port: 0}]}, fields: ['colour', 'doors[0].port']},
  unknown: {content: {doors: [{port: 80, colour: 'red'}]}, path: 'doors[0].colour'},
  mistyped: {
    content: {serial: '1'},
    text: 'json: cannot unmarshal string into Go struct field Gadget.serial of type int64',
  },
  texts: {
    sentYaml:
      'colour: red\ndoors:\n- {note: "", port: 80}\nserial: 9007199254740991\nseal: "/+8\\n="\nsizes: [7, 8]\nratio: 2.50\n',
    sentJson: {
      seal: '/+8=',
      ratio: 1e-9,
      sizes: [7, 8],
      codes: ['c'],
      doors: [{note: '', port: 80}],
      data: {b: '2', a: '1'},
      colour: 'red',
    },
    json: '"colour":"red","data":{"a":"1","b":"2"},"doors":[{"port":80,"protocol":"TCP","note":""}],"codes":["c"],"sizes":[7,8],"ratio":1e-9,"seal":"/+8="',
    yaml: [
      'doors:\n- note: ""\n  port: 80\n  protocol: TCP\n',
      'ratio: 2.5\nseal: /+8=\nserial: 9007199254740991\nsizes:\n- 7\n- 8\n',
    ],
  },
  table: {columns: ['Colour'], cells: () => ['red']},
};
