// SPDX-License-Identifier: Apache-2.0
import type {Content, KindFixture} from './kind-fixture.ts';
import {widgetFixture as v1} from './widget.fixture.ts';
import {widgetV2Kind} from './widget-v2.ts';

/** In content; faults have the names of the stored form. */
const inV2 = ({spec, ...content}: Content): Content => (spec === undefined ? content : {wish: spec, ...content});
const pathInV2 = (path: string): string => path.replace(/^(\.?)spec\./, '$1wish.');

export const widgetV2Fixture: KindFixture = {
  ...v1,
  definition: widgetV2Kind,
  content: n => inV2(v1.content(n)),
  differsAt: pathInV2(v1.differsAt),
  owned: {'f:wish': v1.owned['f:spec']},
  empty: {wish: {}, status: {}},
  lists: v1.lists.map(list => ({...list, path: list.path.map(name => (name === 'spec' ? 'wish' : name))})),
  faulty: {...v1.faulty, content: inV2(v1.faulty.content)},
  unknown: {content: inV2(v1.unknown.content), path: pathInV2(v1.unknown.path)},
  mistyped: {content: inV2(v1.mistyped.content), text: v1.mistyped.text.replace('.spec.', '.wish.')},
  ...(v1.immutable && {
    immutable: {
      before: inV2(v1.immutable.before),
      after: inV2(v1.immutable.after),
      field: v1.immutable.field,
    },
  }),
  texts: {
    sentYaml: v1.texts.sentYaml.replace('spec:', 'wish:'),
    sentJson: inV2(v1.texts.sentJson),
    json: v1.texts.json.replace('"spec":', '"wish":'),
    yaml: ['status: {}\n', ...v1.texts.yaml.map(text => text.replace('spec:', 'wish:').replace('status: {}\n', ''))],
  },
  ...(v1.selectable && {selectable: {...v1.selectable, content: inV2(v1.selectable.content)}}),
};
