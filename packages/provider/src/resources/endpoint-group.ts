// SPDX-License-Identifier: Apache-2.0
/**
 * `platform:discovery/v1alpha1:EndpointGroup` on a Palisade server. The rules of its spec are the server's: a refusal (422) names every
 * field. A deployment waits for the condition Composed, as a group whose Endpoints belong to somebody else does nothing; it does not
 * wait for members, whose readiness is a fact of the network and changes without a deployment.
 */
import type {KubeObject} from '@palisade/client';
import type {KubeKind, Progress} from './kube/kube-kind.ts';

type Condition = {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
};
type Group = KubeObject & {
  readonly status?: {readonly observedGeneration?: number; readonly conditions?: readonly Condition[]};
};

export const ENDPOINT_GROUP: KubeKind = {
  token: 'discovery/v1alpha1:EndpointGroup',
  doc: 'Composes the Endpoints of the same name from members, and takes those out whose checks fail. Creating and updating wait until the Endpoints are composed, not until members are ready. Needs a Palisade server.',
  type: {
    group: 'platform.io',
    version: 'v1alpha1',
    plural: 'endpointgroups',
    kind: 'EndpointGroup',
    namespaced: true,
  },
  content: {
    key: 'spec',
    type: {kind: 'ref', to: 'discovery/v1alpha1:EndpointGroupSpec'},
    doc: 'What the group is made of. Updates replace it as a whole.',
  },
  outputs: {
    status: {
      type: {kind: 'ref', to: 'discovery/v1alpha1:EndpointGroupStatus'},
      doc: 'How its members do, at the time of the last deployment or refresh.',
    },
  },
  lookUp: {
    token: 'discovery/v1alpha1:getEndpointGroup',
    doc: 'Looks up an EndpointGroup that something else manages. Fails if it does not exist.',
  },
  isFromServer: true,
  progress: composed,
  // The next group of this name would find the Endpoints of this one in its way.
  propagation: 'Foreground',
};

function composed(live: KubeObject): Progress {
  const {metadata, status = {}} = live as Group;
  const condition = status.conditions?.find(({type}) => type === 'Composed');
  const isCurrent = (status.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
  if (isCurrent && condition?.status === 'True') return {state: 'done'};
  if (!isCurrent || condition?.status !== 'False')
    return {state: 'waiting', reason: 'is not composed yet: its condition Composed is not known'};
  const {reason = '', message = ''} = condition;
  return {
    state: reason === 'Deleting' ? 'waiting' : 'failed',
    reason: `is not composed: ${reason}: ${message}${HINTS[reason] ?? ''}`,
  };
}

/** What the server cannot know, by reason of the condition. */
const HINTS: Readonly<Record<string, string>> = {
  NameConflict: ' (Endpoints of this stack: take them out of the program, deploy, then add the group)',
};
