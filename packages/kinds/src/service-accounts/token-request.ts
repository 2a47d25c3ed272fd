// SPDX-License-Identifier: Apache-2.0
/**
 * POST serviceaccounts/NAME/token: a signed token of the account, until a time, for audiences, bound to an object if one is named.
 * Ref: kubernetes v1.36 pkg/registry/core/serviceaccount/storage/token.go, pkg/apis/authentication/validation/validation.go.
 */
import {
  badRequest,
  conflict,
  invalidObject,
  type KindDefinition,
  type KubeObject,
  notFound,
  type StrategyContext,
  toKubeTime,
} from '@palisade/apiserver';
import {type FieldError, invalid, kubeTypes, PrintedValue} from '@palisade/kube-wire';
import {plainTable} from '../rbac/table.ts';
import type {AccountTokens, BoundObject} from './account-tokens.ts';

const EXPIRATION_SECONDS_DEFAULT = 3_600;
const EXPIRATION_SECONDS_MIN = 600;
const EXPIRATION_SECONDS_MAX = 2 ** 32;
const KIND = {group: 'authentication.k8s.io', kind: 'TokenRequest'};
const WEBHOOKS = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];

type Reference = {kind?: string; apiVersion?: string; name?: string; uid?: string};
type TokenRequest = KubeObject & {
  spec?: {
    audiences?: string[];
    expirationSeconds?: number | null;
    boundObjectRef?: Reference | null;
    attestations?: Record<string, string[]>;
  };
};

/** The core group has no slash in its apiVersion. */
const versionOf = ({apiVersion = ''}: Reference): {readonly group: string; readonly version: string} => {
  const at = apiVersion.indexOf('/');
  return {group: at < 0 ? '' : apiVersion.slice(0, at), version: apiVersion.slice(at + 1)};
};

const namesWebhook = (ref: Reference | null | undefined): boolean =>
  ref?.apiVersion === 'admissionregistration.k8s.io/v1' && WEBHOOKS.includes(ref.kind ?? '');

const validate = ({spec = {}}: TokenRequest): readonly FieldError[] => {
  const {attestations = {}, boundObjectRef} = spec;
  const expirationSeconds = spec.expirationSeconds ?? 0;
  const at = 'spec.expirationSeconds';
  const faults: FieldError[] = [];
  if (Object.keys(attestations).length > 0 && !namesWebhook(boundObjectRef)) {
    const text = 'attestations may only be specified with a webhook bound object reference';
    return [invalid('spec.attestations', new PrintedValue(JSON.stringify(attestations)), text)];
  }
  if (expirationSeconds < EXPIRATION_SECONDS_MIN)
    faults.push(invalid(at, expirationSeconds, 'may not specify a duration less than 10 minutes'));
  if (expirationSeconds > EXPIRATION_SECONDS_MAX)
    faults.push(invalid(at, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
  return faults;
};

/** Names of the body must be those of the path. Throws StatusError 404, 409, 422. */
const accountFor = (draft: TokenRequest, context: StrategyContext, namespace: string): KubeObject => {
  const {name, stored} = context;
  const {metadata} = draft;
  if ((metadata.name ?? '') !== '' && metadata.name !== name) {
    const text = 'must match the service account name if specified';
    throw invalidObject(KIND, name, [invalid('metadata.name', metadata.name ?? '', text)]);
  }
  if (stored({group: '', resource: 'namespaces'}, '', namespace) === undefined)
    throw notFound({group: '', resource: 'namespaces'}, namespace);
  const accounts = {group: '', resource: 'serviceaccounts'};
  const account = stored(accounts, namespace, name);
  if (account === undefined) throw notFound(accounts, name);
  const {uid = ''} = account.metadata;
  if ((metadata.uid ?? '') !== '' && metadata.uid !== uid) {
    const text = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`;
    throw conflict({group: KIND.group, resource: KIND.kind}, name, text);
  }
  return account;
};

const BINDABLE: Readonly<Record<string, {readonly resource: string; readonly namespaced: boolean}>> = {
  Pod: {resource: 'pods', namespaced: true}, // not served: there is no such object
  Node: {resource: 'nodes', namespaced: false},
  Secret: {resource: 'secrets', namespaced: true},
};

/** Throws StatusError 400, 404, 409. */
const boundObject = (
  ref: Reference | null | undefined,
  {stored}: StrategyContext,
  namespace: string,
): BoundObject | undefined => {
  if (ref === undefined || ref === null) return undefined;
  const {kind = '', name = '', uid = ''} = ref;
  const {group, version} = versionOf(ref);
  const bindable = group === '' ? BINDABLE[kind] : undefined;
  if (bindable === undefined) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  const of = {group, resource: bindable.resource};
  const found = stored(of, bindable.namespaced ? namespace : '', name);
  if (found === undefined) throw notFound(of, name);
  const own = found.metadata.uid ?? '';
  if (uid !== '' && uid !== own) {
    const text = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({group, resource: kind}, name, text);
  }
  return {kind: kind as BoundObject['kind'], name, uid: own};
};

/** The kind of the question; the account is the object in the path. */
export const tokenRequestKind = (tokens: AccountTokens): KindDefinition => ({
  ...KIND,
  version: 'v1',
  listKind: 'TokenRequestList',
  resource: 'serviceaccounts',
  singular: 'tokenrequest',
  namespaced: true,
  verbs: ['create'],
  typeName: 'io.k8s.api.authentication.v1.TokenRequest',
  types: kubeTypes,
  registryPath: 'serviceaccounts',
  internalName: 'authentication.TokenRequest',
  strategy: {
    validateName: () => [],
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    table: plainTable,
  },
  applyDefaults: object => {
    const {spec = {}} = object as TokenRequest;
    if ((spec.expirationSeconds ?? undefined) === undefined)
      object['spec'] = {...spec, expirationSeconds: EXPIRATION_SECONDS_DEFAULT};
  },
  review: async (draft, context) => {
    const {namespace} = context.attributes;
    const account = accountFor(draft, context, namespace);
    const request = draft as TokenRequest;
    const {uid = ''} = account.metadata;
    const sent = request.spec ?? {};
    const audiences = (sent.audiences ?? []).length > 0 ? (sent.audiences ?? []) : [...tokens.audiences];
    const spec = {...sent, audiences};
    const faults = validate({...request, spec});
    if (faults.length > 0) throw invalidObject(KIND, '', faults);
    const lifetimeSeconds = sent.expirationSeconds ?? EXPIRATION_SECONDS_DEFAULT;
    const {nowMs, name} = context;
    const bound = boundObject(sent.boundObjectRef, context, namespace);
    const token = await tokens.issue({namespace, account: {name, uid}, audiences, nowMs, lifetimeSeconds, bound});
    const expirationTimestamp = toKubeTime(nowMs + lifetimeSeconds * 1_000);
    const metadata = {...request.metadata, name, namespace, uid, creationTimestamp: toKubeTime(nowMs)};
    return {...request, metadata, spec, status: {token, expirationTimestamp}};
  },
});
