// SPDX-License-Identifier: Apache-2.0
/** Subsets of Endpoints in the forms that comparison and reading need. */
import {canonicalText, listAt, mapsAt} from '../property-access.ts';
import {isPropertyList, isPropertyMap, type PropertyMap, type PropertyValue} from '../value.ts';
import type {KubeContent} from './kube/kube-kind.ts';

/** Of ports that name none. Ref: requirements E-086. */
const DEFAULT_PROTOCOL = 'TCP';

export const SUBSETS: KubeContent = {
  key: 'subsets',
  type: {kind: 'list', of: {kind: 'ref', to: 'core/v1:EndpointSubset'}},
  doc: 'The endpoints, grouped into subsets by the IPs they share.',
  text: subsetsText,
  written: (live, old) => (isPropertyList(live) ? withoutDefaultProtocols(live, explicitPorts(old)) : live),
};

/** Ports whose protocol is written, though it is the default. */
function explicitPorts(subsets: PropertyValue | undefined): ReadonlySet<string> {
  const ports = (isPropertyList(subsets) ? subsets : []).flatMap(subset =>
    isPropertyMap(subset) ? mapsAt(subset, 'ports').map(({map}) => map) : [],
  );
  return new Set(ports.filter(port => port['protocol'] === DEFAULT_PROTOCOL).map(portKey));
}

/** One text for all orders of subsets, addresses and ports: controllers reorder them freely. */
function subsetsText(subsets: PropertyValue | undefined): string {
  const texts = (isPropertyList(subsets) ? subsets : []).map(subset => {
    if (!isPropertyMap(subset)) return canonicalText(subset);
    const lists = ['addresses', 'notReadyAddresses', 'ports'].map(key => sortedTexts(listAt(subset, key)).join(','));
    return lists.join('|');
  });
  return [...new Set(texts)].sort().join('\n');
}

const sortedTexts = (list: readonly PropertyValue[]): string[] => [...new Set(list.map(canonicalText))].sort();
const portKey = (port: PropertyMap): string => canonicalText([port['port'] ?? null, port['name'] ?? null]);

function withoutDefaultProtocols(subsets: readonly PropertyValue[], explicit: ReadonlySet<string>): PropertyValue {
  return subsets.map(subset => {
    if (!isPropertyMap(subset) || !isPropertyList(subset['ports'])) return subset;
    const ports = subset['ports'].map(port => {
      if (!isPropertyMap(port) || port['protocol'] !== DEFAULT_PROTOCOL || explicit.has(portKey(port))) return port;
      const {protocol: _dropped, ...rest} = port;
      return rest;
    });
    return {...subset, ports};
  });
}
