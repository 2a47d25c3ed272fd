// SPDX-License-Identifier: Apache-2.0
/** What the caller may do on the Kubernetes side. Ref: authorization.k8s.io/v1 SelfSubjectAccessReview. */
import type {KubeClient, ResourceType} from './kube-client.ts';
import type {KubeObject} from './objects.ts';

/** '' and absent: any, or none; as ResourceAttributes of upstream. */
export type AccessQuestion = {
  readonly verb: string;
  /** Of the core group ''. */
  readonly group?: string | undefined;
  readonly resource: string;
  readonly subresource?: string | undefined;
  /** '': all namespaces. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
};
export type AccessAnswer = {readonly allowed: boolean; readonly reason: string};

type AccessReview = KubeObject & {
  readonly spec: {readonly resourceAttributes: AccessQuestion};
  readonly status?: {readonly allowed?: boolean; readonly reason?: string};
};

const ACCESS: ResourceType = {
  ...{group: 'authorization.k8s.io', version: 'v1', namespaced: false},
  ...{plural: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview'},
};
/** Browsers allow six connections to a host over HTTP/1.1, and streams need some of them. */
const AT_ONCE = 2;

/** In the order of the questions; equal ones are asked once. Throws KubeError, TransportError. */
export const reviewAccess = async (
  client: Pick<KubeClient, 'resource'>,
  questions: readonly AccessQuestion[],
  options: {readonly signal?: AbortSignal | undefined} = {},
): Promise<readonly AccessAnswer[]> => {
  const answers = new Map<string, AccessAnswer>();
  const open = new Map(questions.map(question => [JSON.stringify(question), question])).entries();
  const work = async (): Promise<void> => {
    for (const [key, resourceAttributes] of open) {
      const review = {spec: {resourceAttributes}};
      const {status} = await client.resource<AccessReview>(ACCESS).create('', review, {signal: options.signal});
      answers.set(key, {allowed: status?.allowed === true, reason: status?.reason ?? ''});
    }
  };
  await Promise.all(Array.from({length: AT_ONCE}, work));
  return questions.map(question => answers.get(JSON.stringify(question)) ?? {allowed: false, reason: ''});
};
