// SPDX-License-Identifier: Apache-2.0
import type {KindFixture} from './kind-fixture.ts';
import {widgetKind} from './widget.ts';

const spec = (n: number) => ({
  size: 7,
  settings: {a: '1'},
  tags: ['x'],
  parts: [{name: 'p', amount: n}],
  steps: ['s', 's'],
});

export const widgetFixture: KindFixture = {
  definition: widgetKind,
  content: n => ({spec: spec(n)}),
  differsAt: '.spec.parts[name="p"].amount',
  owned: {
    'f:spec': {
      'f:parts': {'k:{"name":"p"}': {'.': {}, 'f:name': {}, 'f:amount': {}}},
      'f:settings': {'f:a': {}},
      'f:size': {},
      'f:steps': {},
      'f:tags': {'v:"x"': {}},
    },
  },
  empty: {spec: {}, status: {}},
  lists: [
    {
      listType: 'set',
      path: ['spec', 'tags'],
      item: key => `t${key}`,
      element: key => `v:"t${key}"`,
      strategic: 'by value',
    },
    {
      listType: 'map',
      path: ['spec', 'parts'],
      item: (key, value = 1) => ({name: `p${key}`, amount: value}),
      element: key => `k:{"name":"p${key}"}`,
      differsAt: key => `[name="p${key}"].amount`,
      strategic: {mergeKey: 'name'},
    },
    {listType: 'atomic', path: ['spec', 'steps'], item: key => `s${key}`, strategic: 'replace'},
  ],
  faulty: {content: {spec: {size: 101, parts: [{amount: 1}]}}, fields: ['spec.size', 'spec.parts[0].name']},
  unknown: {content: {spec: {parts: [{name: 'p', colour: 'red'}]}}, path: 'spec.parts[0].colour'},
  mistyped: {
    content: {spec: {parts: [{name: 'p', amount: '1'}]}},
    text: 'json: cannot unmarshal string into Go struct field WidgetPart.spec.parts.amount of type int32',
  },
  immutable: {before: {spec: {model: 'a'}}, after: {spec: {model: 'b'}}, field: 'spec.model'},
  texts: {
    sentYaml: 'spec:\n  steps: [one]\n  parts:\n  - {note: spare, name: p}\n  size: 3\n',
    sentJson: {spec: {steps: ['s'], parts: [{amount: 1, name: 'p'}], settings: {b: '2', a: '1'}, size: 1}},
    json: '"spec":{"size":1,"settings":{"a":"1","b":"2"},"parts":[{"name":"p","amount":1}],"steps":["s"]},"status":{}',
    yaml: ['spec:\n  parts:\n  - name: p\n    note: spare\n  size: 3\n  steps:\n  - one\nstatus: {}\n'],
  },
  table: {columns: ['Size'], cells: () => [7]},
  status: {phase: 'Ready'},
  selectable: {field: 'spec.model', value: 'rare', content: {spec: {model: 'rare'}}},
};
