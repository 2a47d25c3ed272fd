// SPDX-License-Identifier: Apache-2.0
/** One group, live: the watch brings changes of state, and a GET as often as the checks run brings their newest results. */
import {useQuery} from '@tanstack/react-query';
import {useMemo} from 'react';
import {type Live, type LiveState, useApi, useKubeList} from '../../api/index.ts';
import {pollMsOf} from './model/checks.ts';
import {
  type EndpointGroup,
  type EndpointRegistration,
  GROUPS as GROUP_TYPE,
  REGISTRATIONS as REGISTRATION_TYPE,
} from './model/kinds.ts';

const itself = <T>(object: T): T => object;
export type LiveGroup = {
  readonly list: Live<LiveState<EndpointGroup>>;
  /** undefined: not known yet, or it does not exist. */
  readonly group: EndpointGroup | undefined;
};

export function useGroup(namespace: string, name: string): LiveGroup {
  const {kube} = useApi();
  const client = useMemo(() => kube.resource<EndpointGroup>(GROUP_TYPE), [kube]);
  const list = useKubeList({
    ...{id: 'group', client, namespace},
    fieldSelector: `metadata.name=${name}`,
    toRow: itself<EndpointGroup>,
  });
  const seen = list.rows[0];
  const fresh = useQuery({
    // Another version of the object: an answer about an older one never replaces what the watch has brought.
    queryKey: ['group', namespace, name, seen?.metadata?.resourceVersion],
    queryFn: ({signal}) => client.get(namespace, name, {signal}),
    enabled: seen !== undefined,
    refetchInterval: seen === undefined ? false : pollMsOf(seen),
    gcTime: 0,
  });
  return {list, group: seen === undefined ? undefined : (fresh.data ?? seen)};
}

/** Those that a selector takes; '' takes all of the namespace. One stream. */
export function useRegistrations(namespace: string, selector: string): Live<LiveState<EndpointRegistration>> {
  const {kube} = useApi();
  const client = useMemo(() => kube.resource<EndpointRegistration>(REGISTRATION_TYPE), [kube]);
  return useKubeList({
    ...{id: 'registrations-of-group', client, namespace},
    labelSelector: selector === '' ? undefined : selector,
    toRow: itself<EndpointRegistration>,
  });
}
