// SPDX-License-Identifier: Apache-2.0
/** The tree of the first document of a YAML text. Ref: go.yaml.in/yaml/v2 v2.4.3 decode.go, parser. */
import {DecodeError} from '../../codec/decode-error.ts';
import {type NodeEvent, YamlParser} from './parser.ts';
import {YamlScanner} from './scanner.ts';
import {YamlSource} from './source.ts';

/** Lines count from 0. */
export type YamlNode = YamlScalar | YamlAlias | YamlCollection;
export type YamlScalar = {
  readonly kind: 'scalar';
  readonly line: number;
  /** Empty for none. */
  readonly tag: string;
  readonly value: string;
  readonly isPlain: boolean;
};
export type YamlAlias = {
  readonly kind: 'alias';
  readonly line: number;
  readonly name: string;
  readonly target: YamlNode;
};
export type YamlCollection = {
  readonly kind: 'sequence' | 'mapping';
  readonly line: number;
  /** Of a mapping: keys and values in turn. */
  readonly children: readonly YamlNode[];
};

/** `undefined` for an empty text. Throws DecodeError. */
export function composeYaml(bytes: Uint8Array): YamlNode | undefined {
  const parser = new YamlParser(new YamlScanner(new YamlSource(bytes)));
  const anchors = new Map<string, YamlNode>();
  const open: (YamlCollection & {readonly children: YamlNode[]})[] = [];
  let root: YamlNode | undefined;
  for (let event = parser.next(); event.type !== 'end'; event = parser.next()) {
    if (event.type === 'close') {
      open.pop();
      continue;
    }
    const node = nodeOf(event, anchors);
    if (event.type !== 'alias' && event.anchor !== undefined) anchors.set(event.anchor, node);
    if (open.length === 0) root = node;
    open.at(-1)?.children.push(node);
    if (node.kind === 'sequence' || node.kind === 'mapping') open.push(node as (typeof open)[number]);
  }
  return root;
}

function nodeOf(event: NodeEvent, anchors: ReadonlyMap<string, YamlNode>): YamlNode {
  const {line} = event;
  switch (event.type) {
    case 'scalar':
      return {kind: 'scalar', line, tag: event.tag, value: event.value, isPlain: event.isPlain};
    case 'sequence-start':
      return {kind: 'sequence', line, children: []};
    case 'mapping-start':
      return {kind: 'mapping', line, children: []};
    case 'alias': {
      const target = anchors.get(event.name);
      if (target === undefined) throw new DecodeError(`yaml: unknown anchor '${event.name}' referenced`);
      return {kind: 'alias', line, name: event.name, target};
    }
  }
}
