// SPDX-License-Identifier: Apache-2.0
/** Keys of service accounts on the server, and their names on the command line. */
import type {KubeClient, KubeObject, ResourceClient, ResourceType} from '@palisade/client';
import {dns1123LabelFaults, nameIsDnsSubdomain} from '@palisade/kube-wire';

export type KeyObject = KubeObject & {
  readonly spec?: {readonly serviceAccountName?: string; readonly expirationTimestamp?: string};
  readonly status?: {readonly clientEmail?: string; readonly keyFile?: string};
};

const KEYS: ResourceType = {
  group: 'platform.io',
  version: 'v1alpha1',
  plural: 'serviceaccountkeys',
  kind: 'ServiceAccountKey',
  namespaced: true,
};

export const keysOf = (client: Pick<KubeClient, 'resource'>): ResourceClient<KeyObject> =>
  client.resource<KeyObject>(KEYS);

export type Named = {readonly namespace: string; readonly name: string};

/** `shop/deployer`. Faults go to `faults`; the value then means nothing. */
export const readNamed = (word: string | undefined, what: string, faults: string[]): Named => {
  const [namespace = '', name = '', ...more] = (word ?? '').split('/');
  if (namespace === '' || name === '' || more.length > 0)
    faults.push(`"${word ?? ''}": give ${what} as NAMESPACE/NAME, such as shop/deployer`);
  else
    for (const fault of [...dns1123LabelFaults(namespace), ...nameIsDnsSubdomain(name, false)])
      faults.push(`"${word}": ${fault}`);
  return {namespace, name};
};

export const nameText = ({metadata = {}}: KeyObject): string => `${metadata.namespace}/${metadata.name}`;
