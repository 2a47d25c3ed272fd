// SPDX-License-Identifier: Apache-2.0
/**
 * Acting as somebody else, if allowed to. Modes are tried one after the other, the one that allowed this requestor last before
 * the others; the first that allows it wins, and when none does, the refusal of the first is the answer. A constrained mode asks two things: may this verb be used while impersonating
 * (`impersonate-on:MODE:VERB`), and may this user be impersonated (`impersonate:MODE`); the last mode is plain `impersonate`.
 * Ref: kubernetes v1.36 apiserver/pkg/endpoints/filters/impersonation/{constrained_impersonation,mode}.go.
 */
import {goQuote} from '@palisade/kube-wire';
import {parseNodeUser, parseServiceAccountUser, serviceAccountGroups} from '../authn/user-name.ts';
import type {Attributes, Authorizer} from '../authz/authorizer.ts';
import {accessFault, forbiddenAccess} from '../authz/forbidden-access.ts';
import type {StatusError} from '../base/status-error.ts';
import type {UserInfo} from '../identity/authenticator.ts';
import {type RequestHeaders, type WantedUser, wantedUserOf} from './impersonation-headers.ts';

const AUTHENTICATION_GROUP = 'authentication.k8s.io';
const NODE_NAME_KEY = 'authentication.kubernetes.io/node-name';
const ASSOCIATED_KEYS = 'authentication.kubernetes.io/associated-node-keys';
/** From here on one question for all of them is tried before many single ones. */
const MANY_CHECKS = 4;
const EXTRA_KEY =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)\/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** What the request itself asks for, on behalf of a user. */
export type AskedFor = (user: UserInfo) => Attributes;

type Request = {
  readonly requestor: UserInfo;
  readonly wanted: WantedUser;
  readonly asked: AskedFor;
  readonly authorizer: Authorizer;
};

type Mode = {
  readonly name: string;
  /** Whether the mode is about such a user at all. */
  readonly applies: (request: Request) => boolean;
};

const onlyName = ({uid, groups, extra}: WantedUser): boolean =>
  uid === '' && groups.length === 0 && Object.keys(extra).length === 0;

const CONSTRAINED: readonly Mode[] = [
  {
    name: 'associated-node',
    applies: ({wanted, requestor}) => {
      const node = parseNodeUser(wanted.name);
      if (node === undefined || !onlyName(wanted) || parseServiceAccountUser(requestor.name) === undefined)
        return false;
      const nodes = requestor.extra?.[NODE_NAME_KEY] ?? [];
      return nodes.length === 1 && nodes[0] === node;
    },
  },
  {name: 'arbitrary-node', applies: ({wanted}) => onlyName(wanted) && parseNodeUser(wanted.name) !== undefined},
  {
    name: 'serviceaccount',
    applies: ({wanted}) => onlyName(wanted) && parseServiceAccountUser(wanted.name) !== undefined,
  },
  {
    name: 'user-info',
    applies: ({wanted}) =>
      parseNodeUser(wanted.name) === undefined && parseServiceAccountUser(wanted.name) === undefined,
  },
];

/** Any user with any groups: what is left when no constrained mode allows it. */
const LEGACY: Mode = {name: '', applies: () => true};
const MODES: readonly Mode[] = [...CONSTRAINED, LEGACY];

/**
 * Which mode allowed a requestor last. It is tried first the next time, and when none allows the request, its refusal is the
 * answer. Of the least recently used ones the oldest is forgotten.
 */
export class LastModes {
  readonly #byRequestor = new Map<string, Mode>();
  readonly #countMax: number;

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  get(requestor: string): Mode | undefined {
    const mode = this.#byRequestor.get(requestor);
    if (mode !== undefined) this.set(requestor, mode);
    return mode;
  }

  set(requestor: string, mode: Mode): void {
    this.#byRequestor.delete(requestor);
    this.#byRequestor.set(requestor, mode);
    const [oldest] = this.#byRequestor.keys();
    if (this.#byRequestor.size > this.#countMax && oldest !== undefined) this.#byRequestor.delete(oldest);
  }
}

/** The user that the request acts as. Throws StatusError 400, 403. */
export const impersonate = (
  headers: RequestHeaders,
  requestor: UserInfo,
  asked: AskedFor,
  authorizer: Authorizer,
  lastModes: LastModes,
): UserInfo | Promise<UserInfo> => {
  const wanted = wantedUserOf(headers);
  return wanted === undefined ? requestor : choose({requestor, wanted, asked, authorizer}, lastModes);
};

const choose = async (request: Request, lastModes: LastModes): Promise<UserInfo> => {
  const {name} = request.requestor;
  const last = lastModes.get(name);
  let refusal: StatusError | undefined;
  for (const mode of last === undefined ? MODES : [last, ...MODES.filter(other => other !== last)]) {
    if (!mode.applies(request)) continue;
    const fault = await faultOf(request, mode);
    if (fault === undefined) {
      lastModes.set(name, mode);
      return actualUser(request.wanted, mode !== LEGACY);
    }
    refusal ??= fault;
  }
  throw refusal ?? new Error('the last mode applies to every request');
};

const faultOf = async (request: Request, mode: Mode): Promise<StatusError | undefined> =>
  mode === LEGACY ? checkUser(request, undefined) : ((await checkVerb(request, mode)) ?? checkUser(request, mode));

/** Defaults of what is not asked for. */
const actualUser = (wanted: WantedUser, constrained: boolean): UserInfo => {
  const account = parseServiceAccountUser(wanted.name);
  const node = constrained ? parseNodeUser(wanted.name) : undefined;
  let groups: readonly string[] = wanted.groups;
  if (node !== undefined) groups = ['system:nodes'];
  else if (account !== undefined && groups.length === 0) groups = serviceAccountGroups(account.namespace);
  const {name, uid, extra} = wanted;
  return {name, uid, groups: withImpliedGroup(name, groups), extra};
};

const withImpliedGroup = (name: string, groups: readonly string[]): readonly string[] => {
  if (name !== 'system:anonymous' && groups.includes('system:unauthenticated')) return groups;
  const implied = name === 'system:anonymous' ? 'system:unauthenticated' : 'system:authenticated';
  return groups.includes(implied) ? groups : [...groups, implied];
};

/** With the associated node, all extra values but their keys are left out: the answer must hold for every node. */
const askingUser = ({requestor}: Request, mode: Mode | undefined): UserInfo =>
  mode?.name === 'associated-node'
    ? {...requestor, extra: {[ASSOCIATED_KEYS]: Object.keys(requestor.extra ?? {}).sort()}}
    : requestor;

const checkVerb = (request: Request, mode: Mode): Promise<StatusError | undefined> => {
  const attributes = request.asked(askingUser(request, mode));
  return ask(request, {...attributes, verb: `impersonate-on:${mode.name}:${attributes.verb}`});
};

/** Undefined when every part of the wanted user may be impersonated. */
const checkUser = async (request: Request, mode: Mode | undefined): Promise<StatusError | undefined> =>
  (await checkName(request, mode)) ??
  (await checkUid(request, mode)) ??
  (await checkGroups(request, mode)) ??
  (await checkExtra(request, mode));

type About = {
  readonly resource: string;
  readonly name: string;
  readonly namespace?: string;
  readonly subresource?: string;
};

const attributesFor = (request: Request, mode: Mode | undefined, core: boolean, about: About): Attributes => ({
  user: askingUser(request, mode),
  verb: mode === undefined ? 'impersonate' : `impersonate:${mode.name}`,
  resourceRequest: true,
  group: core && mode === undefined ? '' : AUTHENTICATION_GROUP,
  version: 'v1',
  resource: about.resource,
  subresource: about.subresource ?? '',
  namespace: about.namespace ?? '',
  name: about.name,
  path: '',
});

const ask = ({authorizer}: Request, attributes: Attributes): Promise<StatusError | undefined> =>
  accessFault(authorizer, attributes);

const checkName = (request: Request, mode: Mode | undefined): Promise<StatusError | undefined> => {
  const {name} = request.wanted;
  const account = parseServiceAccountUser(name);
  const node = mode === undefined ? undefined : parseNodeUser(name);
  let about: About = {resource: 'users', name};
  if (node !== undefined) about = {resource: 'nodes', name: mode?.name === 'associated-node' ? '*' : node};
  else if (account !== undefined) about = {resource: 'serviceaccounts', ...account};
  return ask(request, attributesFor(request, mode, true, about));
};

const checkUid = async (request: Request, mode: Mode | undefined): Promise<StatusError | undefined> => {
  const {uid} = request.wanted;
  return uid === '' ? undefined : ask(request, attributesFor(request, mode, false, {resource: 'uids', name: uid}));
};

const checkGroups = async (request: Request, mode: Mode | undefined): Promise<StatusError | undefined> => {
  const {groups} = request.wanted;
  const about = (name: string): Attributes => attributesFor(request, mode, true, {resource: 'groups', name});
  if (mode !== undefined) {
    if (groups.includes('')) return forbiddenAccess(about(''), 'impersonating the empty string group is not allowed');
    if (groups.includes('system:masters')) {
      return forbiddenAccess(about('system:masters'), 'impersonating the system:masters group is not allowed');
    }
    if (groups.length >= MANY_CHECKS && (await ask(request, about('*'))) === undefined) return undefined;
  }
  for (const group of groups) {
    const fault = await ask(request, about(group));
    if (fault !== undefined) return fault;
  }
  return undefined;
};

const checkExtra = async (request: Request, mode: Mode | undefined): Promise<StatusError | undefined> => {
  const entries = Object.entries(request.wanted.extra);
  const about = (subresource: string, name: string): Attributes =>
    attributesFor(request, mode, false, {resource: 'userextras', subresource, name});
  if (mode !== undefined && entries.length > 0) {
    const fault = extraFault(entries);
    if (fault !== undefined) return forbiddenAccess(about('', ''), fault);
    const count = entries.reduce((sum, [, values]) => sum + values.length, 0);
    const many = entries.length >= MANY_CHECKS || count >= MANY_CHECKS;
    if (many && (await ask(request, about('*', '*'))) === undefined) return undefined;
  }
  for (const [key, values] of entries) {
    for (const value of values) {
      const fault = await ask(request, about(key, value));
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
};

const extraFault = (entries: readonly [string, readonly string[]][]): string | undefined => {
  for (const [key, values] of entries) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    if (!EXTRA_KEY.test(key)) {
      return `impersonating an invalid key in extra is not allowed: extra.key: Invalid value: ${goQuote(key)}: must be a domain-prefixed path (such as "acme.io/foo")`;
    }
    if (key !== key.toLowerCase()) {
      return `impersonating a non-lowercase key in extra is not allowed: ${goQuote(key)}`;
    }
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
};
