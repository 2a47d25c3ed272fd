// SPDX-License-Identifier: Apache-2.0
/** What the deletion of a set waits for, and what goes with it. */
import {
  type Endpoints,
  explainDeletion,
  type Found,
  findObjects,
  type KubeClient,
  type KubeObject,
  type ResourceType,
  readServedKinds,
  type Served,
} from '@palisade/client/browser';
import {shellWord} from '@palisade/ids-wire';
import {useQuery} from '@tanstack/react-query';
import {useApi} from '../../../../api/index.ts';
import {wallClock} from '../../../../clock.ts';

const SERVED_MS = 300_000;
const SERVICES: ResourceType = {group: '', version: 'v1', plural: 'services', kind: 'Service', namespaced: true};

function useServed() {
  const {kube} = useApi();
  return useQuery({queryKey: ['served-kinds'], queryFn: () => readServedKinds(kube), staleTime: SERVED_MS});
}

/** Holders of a deleted object, owners of another one. */
export function useDeletion(object: Endpoints) {
  const {kube} = useApi();
  const served = useServed();
  const {uid, resourceVersion} = object.metadata ?? {};
  const deletion = useQuery({
    queryKey: ['deletion', uid, resourceVersion],
    queryFn: () => explain(kube, served.data as Served, object),
    enabled: served.data !== undefined,
    staleTime: 0,
  });
  return served.error === null ? deletion : {...deletion, error: served.error, refetch: served.refetch};
}

function explain(kube: KubeClient, served: Served, object: Endpoints) {
  const {namespace = '', name = ''} = object.metadata ?? {};
  const kind = served.kinds.find(({group, plural}) => group === '' && plural === 'endpoints');
  if (kind === undefined) throw new Error('The server does not serve endpoints');
  const target = {kind, namespace, name, served, connection: '', word: shellWord};
  return explainDeletion(kube, target, object, wallClock());
}

/** Objects of its namespace that refer to it as their owner; it looks through all kinds, so only where it is asked for. */
export function useDependents(object: Endpoints, enabled: boolean) {
  const {kube} = useApi();
  const served = useServed();
  const {uid, namespace = ''} = object.metadata ?? {};
  return useQuery({
    queryKey: ['dependents', uid],
    queryFn: (): Promise<Found> =>
      findObjects(kube, served.data as Served, namespace, ({ownerReferences = []}) =>
        ownerReferences.some(owner => owner.uid === uid),
      ),
    enabled: enabled && served.data !== undefined,
    staleTime: 0,
  });
}

/** The Service that routes to the addresses of a set: that of its name. undefined: none, or it may not be read. */
export function useServiceOf({metadata}: Endpoints): string | undefined {
  const {kube} = useApi();
  const {namespace = '', name = ''} = metadata ?? {};
  const {data} = useQuery({
    queryKey: ['service-of', namespace, name],
    queryFn: ({signal}) =>
      kube.resource<KubeObject>(SERVICES).list(namespace, {fieldSelector: `metadata.name=${name}`, signal}),
  });
  return data?.items[0]?.metadata?.name;
}
