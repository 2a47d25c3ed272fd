// SPDX-License-Identifier: Apache-2.0
/** What the caller may do on the Kubernetes side. Ref: authorization.k8s.io/v1 SelfSubjectAccessReview, SelfSubjectRulesReview. */
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

/** Rules of a namespace, and those that hold in all of them. */
export type OwnRules = {
  readonly resourceRules: readonly {
    readonly verbs: readonly string[];
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
  /** The server could not list all: an access that no rule allows may be allowed. */
  readonly incomplete: boolean;
};

type AccessReview = KubeObject & {
  readonly spec: {readonly resourceAttributes: AccessQuestion};
  readonly status?: {readonly allowed?: boolean; readonly reason?: string};
};
type RulesReview = KubeObject & {
  readonly spec: {readonly namespace: string};
  readonly status?: Partial<OwnRules>;
};

const group = {group: 'authorization.k8s.io', version: 'v1', namespaced: false};
const ACCESS: ResourceType = {...group, plural: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview'};
const RULES: ResourceType = {...group, plural: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview'};
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

/** One request for all rights in a namespace. Throws KubeError, TransportError. */
export const readOwnRules = async (
  client: Pick<KubeClient, 'resource'>,
  namespace: string,
  options: {readonly signal?: AbortSignal | undefined} = {},
): Promise<OwnRules> => {
  const {status = {}} = await client
    .resource<RulesReview>(RULES)
    .create('', {spec: {namespace}}, {signal: options.signal});
  return {resourceRules: status.resourceRules ?? [], incomplete: status.incomplete === true};
};

/** Whether the rules allow an access; `name` '': of any name. */
export const isAllowedBy = (
  {resourceRules}: OwnRules,
  {verb, group: of = '', resource, subresource = '', name = ''}: AccessQuestion,
): boolean => {
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const has = (list: readonly string[] | undefined, ...wanted: readonly string[]): boolean =>
    list?.some(item => item === '*' || wanted.includes(item)) === true;
  return resourceRules.some(
    rule =>
      has(rule.verbs, verb) &&
      has(rule.apiGroups, of) &&
      has(rule.resources, full, ...(subresource === '' ? [] : [`*/${subresource}`])) &&
      ((rule.resourceNames ?? []).length === 0 || (name !== '' && rule.resourceNames?.includes(name) === true)),
  );
};
