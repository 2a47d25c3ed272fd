// SPDX-License-Identifier: Apache-2.0
/**
 * The operations of served kinds, in a form that both OpenAPI documents are written from.
 * Ref: kubernetes v1.36 apiserver pkg/endpoints/installer.go (registerResourceHandlers).
 */
import {
  groupVersionText,
  listTypeName,
  type ServedKind,
  type ServedQuestion,
  type ServedSubresource,
  type ServedVerb,
} from './served-kind.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Name of a parameter: one of the shared ones, or one that is written out in place. */
export type ParameterName = string;

export type Operation = {
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch';
  readonly description: string;
  readonly operationId: string;
  readonly tag: string;
  /** `x-kubernetes-action`; absent for what belongs to no kind. */
  readonly action?: string;
  readonly gvk?: {readonly group: string; readonly kind: string; readonly version: string};
  readonly parameters: readonly ParameterName[];
  readonly body?: {readonly type: string; readonly required: boolean; readonly patch?: true};
  readonly produces: 'object' | 'stream' | 'json';
  /** Type of the answer by status. 401 is always there. */
  readonly responses: Readonly<Record<string, string>>;
};

export type PathItem = {
  readonly path: string;
  /** Parameters of every operation of the path. */
  readonly parameters: readonly ParameterName[];
  /** Kind in the description of the `name` parameter. */
  readonly named?: string;
  readonly operations: readonly Operation[];
};

const LIST = ['continue', 'fieldSelector', 'labelSelector', 'limit', 'resourceVersion', 'resourceVersionMatch'];
const WATCHABLE = ['allowWatchBookmarks', ...LIST, 'sendInitialEvents', 'shardSelector', 'timeoutSeconds', 'watch'];
const DELETE = ['dryRun', 'gracePeriodSeconds', 'ignoreStoreReadErrorWithClusterBreakingPotential'];
const ORPHAN = ['orphanDependents', 'propagationPolicy'];
const DELETE_COLLECTION = [
  ...LIST,
  ...DELETE,
  ...ORPHAN,
  'sendInitialEvents',
  'shardSelector',
  'timeoutSeconds',
].sort();
const WRITE = ['dryRun', 'fieldManager', 'fieldValidation'];
const PATCH = [...WRITE, 'force'];

/** `/api/v1`, `/apis/rbac.authorization.k8s.io/v1`. */
export const basePath = (of: {readonly group: string; readonly version: string}): string =>
  of.group === '' ? `/api/${of.version}` : `/apis/${groupVersionText(of)}`;

/** `core`, `rbacAuthorization`: how a group is called in tags and operation ids. */
export function groupWord(group: string): string {
  if (group === '') return 'core';
  const [first = '', ...rest] = group.replace(/\.k8s\.io$/, '').split('.');
  return first + rest.map(capital).join('');
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** All paths of the kinds, sorted. */
export function pathsOf(kinds: readonly ServedKind[]): PathItem[] {
  return kinds
    .flatMap(kind => new KindPaths(kind).all())
    .map(hoisted)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** What all operations of a path have in common is said once, for the path. With two or more they have nothing. */
function hoisted(item: PathItem): PathItem {
  const [only, ...others] = item.operations;
  if (only === undefined || others.length > 0) return item;
  const parameters = [...item.parameters, ...only.parameters].sort();
  return {...item, parameters, operations: [{...only, parameters: []}]};
}

class KindPaths {
  readonly #kind: ServedKind;
  readonly #word: string;
  readonly #tag: string;

  constructor(kind: ServedKind) {
    this.#kind = kind;
    this.#word = capital(groupWord(kind.group)) + capital(kind.version);
    this.#tag = `${groupWord(kind.group)}_${kind.version}`;
  }

  all(): PathItem[] {
    const {namespaced, resource, subresources = [], questions = []} = this.#kind;
    const base = basePath(this.#kind);
    const scope = namespaced ? ['namespace'] : [];
    const collection = `${base}/${namespaced ? 'namespaces/{namespace}/' : ''}${resource}`;
    const items = [
      this.#path(collection, ['pretty', ...scope], this.#collectionOperations()),
      this.#named(`${collection}/{name}`, scope, this.#objectOperations()),
      ...subresources.map(sub => this.#named(`${collection}/{name}/${sub.name}`, scope, this.#subresource(sub))),
      ...questions.map(asked => ({
        ...this.#named(`${collection}/{name}/${asked.name}`, scope, [this.#question(asked)]),
        named: asked.kind.kind,
      })),
    ];
    if (namespaced && this.#has('list')) {
      items.push(this.#path(`${base}/${resource}`, ['pretty', ...WATCHABLE], [this.#listAll()]));
    }
    if (this.#has('watch')) items.push(...this.#watchPaths(base, resource, scope));
    return items.filter(item => item.operations.length > 0);
  }

  #has(verb: ServedVerb): boolean {
    return this.#kind.verbs.includes(verb);
  }

  #path(path: string, parameters: readonly string[], operations: readonly Operation[]): PathItem {
    return {path, parameters: [...parameters].sort(), operations};
  }

  #named(path: string, scope: readonly string[], operations: readonly Operation[]): PathItem {
    return {...this.#path(path, ['name', 'pretty', ...scope], operations), named: this.#kind.kind};
  }

  #operation(
    method: Operation['method'],
    verb: string,
    parts: {action: string; description: string; before?: string; after?: string; all?: true},
    rest: Pick<Operation, 'responses'> & Partial<Operation>,
  ): Operation {
    const {group, version, kind, namespaced} = this.#kind;
    const {action, description, before = '', after = '', all} = parts;
    const scope = namespaced && all !== true ? 'Namespaced' : '';
    return {
      method,
      description,
      operationId: `${verb}${this.#word}${before}${scope}${kind}${after}${all === true ? 'ForAllNamespaces' : ''}`,
      tag: this.#tag,
      action,
      gvk: {group, kind, version},
      parameters: [],
      produces: 'object',
      ...rest,
    };
  }

  #collectionOperations(): Operation[] {
    const {kind, typeName} = this.#kind;
    const out: Operation[] = [];
    if (this.#has('list')) {
      out.push(
        this.#operation(
          'get',
          'list',
          {action: 'list', description: `list or watch objects of kind ${kind}`},
          this.#listed(),
        ),
      );
    }
    if (this.#has('create')) {
      out.push(
        this.#operation(
          'post',
          'create',
          {action: 'post', description: article('create', kind)},
          {
            parameters: WRITE,
            body: {type: typeName, required: true},
            responses: {200: typeName, 201: typeName, 202: typeName},
          },
        ),
      );
    }
    if (this.#has('deletecollection')) {
      const parts = {action: 'deletecollection', description: `delete collection of ${kind}`, before: 'Collection'};
      out.push(
        this.#operation('delete', 'delete', parts, {
          parameters: DELETE_COLLECTION,
          body: {type: `${META}.DeleteOptions`, required: false},
          responses: {200: `${META}.Status`},
        }),
      );
    }
    return out;
  }

  #listed(): Pick<Operation, 'responses' | 'parameters' | 'produces'> {
    return {parameters: WATCHABLE, produces: 'stream', responses: {200: listTypeName(this.#kind)}};
  }

  #listAll(): Operation {
    const parts = {action: 'list', description: `list or watch objects of kind ${this.#kind.kind}`, all: true as const};
    return this.#operation('get', 'list', parts, {...this.#listed(), parameters: []});
  }

  #objectOperations(): Operation[] {
    const {kind, typeName, publishesDeleted} = this.#kind;
    const deleted = publishesDeleted === true ? typeName : `${META}.Status`;
    const out: Operation[] = [];
    if (this.#has('get')) out.push(this.#read(`read the specified ${kind}`, ''));
    if (this.#has('update')) out.push(this.#replace(`replace the specified ${kind}`, ''));
    if (this.#has('patch')) out.push(this.#patch(`partially update the specified ${kind}`, ''));
    if (this.#has('delete')) {
      out.push(
        this.#operation(
          'delete',
          'delete',
          {action: 'delete', description: article('delete', kind)},
          {
            parameters: [...DELETE, ...ORPHAN],
            body: {type: `${META}.DeleteOptions`, required: false},
            responses: {200: deleted, 202: deleted},
          },
        ),
      );
    }
    return out;
  }

  #subresource({name, verbs}: ServedSubresource): Operation[] {
    const {kind} = this.#kind;
    const after = capital(name);
    const out: Operation[] = [];
    if (verbs.includes('get')) out.push(this.#read(`read ${name} of the specified ${kind}`, after));
    if (verbs.includes('update')) out.push(this.#replace(`replace ${name} of the specified ${kind}`, after));
    if (verbs.includes('patch')) out.push(this.#patch(`partially update ${name} of the specified ${kind}`, after));
    return out;
  }

  #question({name, kind: {typeName, ...kind}}: ServedQuestion): Operation {
    const {group, version} = kind;
    const parts = {
      action: 'post',
      description: `create ${name} of ${withArticle(this.#kind.kind)}`,
      after: capital(name),
    };
    return this.#operation('post', 'create', parts, {
      gvk: {group, kind: kind.kind, version},
      parameters: WRITE,
      body: {type: typeName, required: true},
      responses: {200: typeName, 201: typeName, 202: typeName},
    });
  }

  #read(description: string, after: string): Operation {
    return this.#operation('get', 'read', {action: 'get', description, after}, {responses: {200: this.#kind.typeName}});
  }

  #replace(description: string, after: string): Operation {
    const {typeName} = this.#kind;
    return this.#operation(
      'put',
      'replace',
      {action: 'put', description, after},
      {
        parameters: WRITE,
        body: {type: typeName, required: true},
        responses: {200: typeName, 201: typeName},
      },
    );
  }

  #patch(description: string, after: string): Operation {
    const {typeName} = this.#kind;
    return this.#operation(
      'patch',
      'patch',
      {action: 'patch', description, after},
      {
        parameters: PATCH,
        body: {type: `${META}.Patch`, required: true, patch: true},
        responses: {200: typeName, 201: typeName},
      },
    );
  }

  #watchPaths(base: string, resource: string, scope: readonly string[]): PathItem[] {
    const {kind, namespaced} = this.#kind;
    const collection = `${base}/watch/${namespaced ? 'namespaces/{namespace}/' : ''}${resource}`;
    const parameters = ['pretty', ...WATCHABLE, ...scope];
    const list = {
      action: 'watchlist',
      description: `watch individual changes to a list of ${kind}. deprecated: use the 'watch' parameter with a list operation instead.`,
      after: 'List',
    };
    const one = {
      action: 'watch',
      description: `watch changes to an object of kind ${kind}. deprecated: use the 'watch' parameter with a list operation instead, filtered to a single item with the 'fieldSelector' parameter.`,
    };
    const answer = {produces: 'stream' as const, responses: {200: `${META}.WatchEvent`}};
    const items = [
      this.#path(collection, parameters, [this.#operation('get', 'watch', list, answer)]),
      {
        ...this.#path(`${collection}/{name}`, ['name', ...parameters], [this.#operation('get', 'watch', one, answer)]),
        named: kind,
      },
    ];
    if (namespaced) {
      const all = this.#operation('get', 'watch', {...list, all: true}, answer);
      items.push(this.#path(`${base}/watch/${resource}`, ['pretty', ...WATCHABLE], [all]));
    }
    return items;
  }
}

/** `create a Namespace`, `create Endpoints`. */
function article(verb: string, kind: string): string {
  return `${verb} ${withArticle(kind)}`;
}

function withArticle(kind: string): string {
  if (/s$/.test(kind) && !/ss$/.test(kind)) return kind;
  return `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`;
}
