// SPDX-License-Identifier: Apache-2.0
/** The rules of the metadata of any object over its inputs: every fault with its property path; unknowns are skipped at any depth. */
import {dns1123LabelFaults, dns1123SubdomainFaults, labelValueFaults, qualifiedNameFaults} from '@palisade/kube-wire';
import {listAt, mapAt, mapsAt} from '../../property-access.ts';
import type {PropertyPath} from '../../property-path.ts';
import type {PropertyMap, PropertyValue} from '../../value.ts';
import type {Faults} from './faults.ts';

/** Keys and values of all annotations together. */
const ANNOTATIONS_BYTES_MAX = 262_144;
const OWNER_FIELDS = ['apiVersion', 'kind', 'name', 'uid'];

export function metadataFaults(metadata: PropertyMap, faults: Faults): void {
  const at: PropertyPath = ['metadata'];
  faults.text(metadata, 'name', at, dns1123SubdomainFaults);
  faults.text(metadata, 'generateName', at, text => dns1123SubdomainFaults(text.replace(/-$/, '')));
  faults.text(metadata, 'namespace', at, dns1123LabelFaults);
  for (const [key, value] of Object.entries(mapAt(metadata, 'labels'))) {
    faults.value([...at, 'labels', key], key, qualifiedNameFaults);
    if (typeof value === 'string') faults.value([...at, 'labels', key], value, labelValueFaults);
  }
  const annotations = Object.entries(mapAt(metadata, 'annotations'));
  for (const [key] of annotations) {
    faults.value([...at, 'annotations', key], key, text => qualifiedNameFaults(text.toLowerCase()));
  }
  const bytes = annotations.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  if (bytes > ANNOTATIONS_BYTES_MAX) {
    faults.add([...at, 'annotations'], `too long: may not be more than ${ANNOTATIONS_BYTES_MAX} bytes`);
  }
  listAt(metadata, 'finalizers').forEach((finalizer, i) => {
    if (typeof finalizer === 'string') faults.value([...at, 'finalizers', i], finalizer, qualifiedNameFaults);
  });
  ownerFaults(metadata, faults);
}

const byteLength = (value: PropertyValue): number => (typeof value === 'string' ? Buffer.byteLength(value) : 0);

function ownerFaults(metadata: PropertyMap, faults: Faults): void {
  const at: PropertyPath = ['metadata', 'ownerReferences'];
  const owners = mapsAt(metadata, 'ownerReferences');
  for (const {map, index} of owners) {
    for (const field of OWNER_FIELDS) faults.require(map, field, [...at, index]);
    if (map['kind'] === 'Event') faults.add([...at, index, 'kind'], 'an Event cannot be an owner');
  }
  const controllers = owners.filter(({map}) => map['controller'] === true);
  if (controllers.length > 1) {
    const names = controllers.map(({map}) => `${String(map['kind'])}/${String(map['name'])}`).join(', ');
    faults.add(at, `only one reference may have controller set to true, found ${names}`);
  }
}
