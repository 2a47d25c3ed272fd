// SPDX-License-Identifier: Apache-2.0
/** An audit policy as YAML: kind Policy of audit.k8s.io/v1. Ref: kubernetes v1.36 apiserver/pkg/apis/audit/validation/validation.go. */
import {readFile, stat} from 'node:fs/promises';
import {AUDIT_LEVELS, AUDIT_STAGES, type AuditPolicy} from '@palisade/apiserver';
import {whyUnreadable} from '@palisade/engine/file-faults';
import {depthFault, yamlFaults} from '@palisade/engine/yaml-faults';
import {type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap} from 'yaml';
import {CommandError} from '../errors.ts';

const FILE_BYTES_MAX = 1024 * 1024;

type Shape =
  | {readonly kind: 'text'; readonly oneOf?: readonly string[]; readonly fault?: (text: string) => string | undefined}
  | {readonly kind: 'switch'}
  | {readonly kind: 'anything'}
  | {readonly kind: 'list'; readonly of: Shape}
  | {readonly kind: 'object'; readonly fields: Readonly<Record<string, Shape>>; readonly required?: readonly string[]};

const texts = {kind: 'list', of: {kind: 'text'}} as const;
const stages = {kind: 'list', of: {kind: 'text', oneOf: AUDIT_STAGES}} as const;

const GROUP = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$/;
const groupFault = (text: string): string | undefined =>
  GROUP.test(text)
    ? undefined
    : 'must be the name of an API group without a version, such as rbac.authorization.k8s.io';

const urlFault = (text: string): string | undefined => {
  if (text === '*') return undefined;
  if (!text.startsWith('/')) return 'must begin with "/"';
  return text.slice(0, -1).includes('*') ? '"*" must be the last character' : undefined;
};

const rule: Shape = {
  kind: 'object',
  required: ['level'],
  fields: {
    level: {kind: 'text', oneOf: AUDIT_LEVELS},
    users: texts,
    userGroups: texts,
    verbs: texts,
    resources: {
      kind: 'list',
      of: {
        kind: 'object',
        fields: {group: {kind: 'text', fault: groupFault}, resources: texts, resourceNames: texts},
      },
    },
    namespaces: texts,
    nonResourceURLs: {kind: 'list', of: {kind: 'text', fault: urlFault}},
    omitStages: stages,
    omitManagedFields: {kind: 'switch'},
  },
};

const POLICY: Shape = {
  kind: 'object',
  required: ['apiVersion', 'kind', 'rules'],
  fields: {
    apiVersion: {kind: 'text', oneOf: ['audit.k8s.io/v1']},
    kind: {kind: 'text', oneOf: ['Policy']},
    metadata: {kind: 'anything'},
    rules: {kind: 'list', of: rule},
    omitStages: stages,
    omitManagedFields: {kind: 'switch'},
  },
};

type PolicyReading = {readonly policy: AuditPolicy | undefined; readonly faults: readonly string[]};

/** `faults`: `LINE:COLUMN: FIELD: what is wrong`, all of them. */
export const parseAuditPolicy = (text: string): PolicyReading => {
  const lines = new LineCounter();
  const tooDeep = depthFault(text);
  if (tooDeep !== undefined) return {policy: undefined, faults: [tooDeep]};
  const document = parseDocument(text, {lineCounter: lines, prettyErrors: false, uniqueKeys: true});
  const syntax = yamlFaults([document], lines);
  if (syntax.length > 0) return {policy: undefined, faults: syntax};
  const faults = [...new PolicyCheck(document, lines).faults()];
  if (faults.length > 0) return {policy: undefined, faults};
  return {policy: document.toJS() as AuditPolicy, faults};
};

const placeOf = (lines: LineCounter, at: number): string => {
  const {line, col} = lines.linePos(at);
  return `${line}:${col}`;
};

class PolicyCheck {
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #faults: string[] = [];

  constructor(document: Document, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  faults(): readonly string[] {
    const root = this.#document.contents;
    this.#look(root, POLICY, '');
    const rules = isMap(root) ? root.get('rules') : undefined;
    if (isSeq(rules))
      rules.items.forEach((each, at) => {
        if (isMap(each)) this.#lookTogether(each, `rules[${at}]`);
      });
    return this.#faults;
  }

  #fault(node: unknown, field: string, text: string): void {
    const at = (node as Node | null)?.range?.[0] ?? 0;
    this.#faults.push(`${placeOf(this.#lines, at)}: ${field === '' ? '' : `${field}: `}${text}`);
  }

  #look(node: unknown, shape: Shape, field: string): void {
    if (shape.kind === 'object') this.#lookAtObject(node, shape, field);
    else if (shape.kind === 'list') this.#lookAtList(node, shape.of, field);
    else if (shape.kind === 'text') this.#lookAtText(node, shape, field);
    else if (shape.kind === 'switch' && !(isScalar(node) && typeof node.value === 'boolean'))
      this.#fault(node, field, 'must be true or false');
  }

  #lookAtList(node: unknown, of: Shape, field: string): void {
    if (!isSeq(node)) this.#fault(node, field, 'must be a list');
    else for (const [at, item] of node.items.entries()) this.#look(item, of, `${field}[${at}]`);
  }

  #lookAtText(node: unknown, {oneOf, fault}: Shape & {kind: 'text'}, field: string): void {
    const value: unknown = isScalar(node) ? node.value : undefined;
    if (typeof value !== 'string') {
      this.#fault(node, field, 'must be a text; put it in quotes');
      return;
    }
    const isKnown = oneOf === undefined || oneOf.includes(value);
    const why = isKnown ? fault?.(value) : `must be ${oneOf.length === 1 ? '' : 'one of '}${oneOf.join(', ')}`;
    if (why !== undefined) this.#fault(node, field, `"${value}": ${why}`);
  }

  #lookAtObject(node: unknown, {fields, required = []}: Shape & {kind: 'object'}, field: string): void {
    if (!isMap(node)) {
      this.#fault(node, field, 'must be a mapping of keys to values');
      return;
    }
    const path = (name: string): string => (field === '' ? name : `${field}.${name}`);
    for (const {key, value} of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      const shape = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (shape === undefined) this.#fault(key, path(name), `no such field; use ${Object.keys(fields).join(', ')}`);
      else this.#look(value, shape, path(name));
    }
    for (const name of required) if (!node.has(name)) this.#fault(node, path(name), 'is required');
  }

  #lookTogether(each: YAMLMap, field: string): void {
    const has = (name: string): boolean => {
      const list = each.get(name);
      return isSeq(list) && list.items.length > 0;
    };
    if (has('nonResourceURLs') && (has('resources') || has('namespaces')))
      this.#fault(each, field, 'nonResourceURLs cannot be used with resources or namespaces; make two rules');
    const resources = each.get('resources');
    if (!isSeq(resources)) return;
    resources.items.forEach((group, at) => {
      if (isMap(group) && group.has('resourceNames') && !isSeq(group.get('resources')))
        this.#fault(group, `${field}.resources[${at}].resourceNames`, 'needs resources; name at least one');
    });
  }
}

const DEFAULT_POLICY = new URL('./default-policy.yaml', import.meta.url);

/** The policy of a file, or the one that comes with the product. Throws CommandError with all its faults. */
export const readAuditPolicy = async (path: string | undefined): Promise<AuditPolicy> => {
  const said = `--audit-policy-file ${path ?? ''}`;
  let text: string;
  try {
    if (path !== undefined && (await stat(path)).size > FILE_BYTES_MAX)
      throw new CommandError(`${said}: is larger than ${FILE_BYTES_MAX} bytes; give a smaller file`);
    text = await readFile(path ?? DEFAULT_POLICY, 'utf8');
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${said}: cannot be read: ${whyUnreadable(error)}`, {cause: error});
  }
  const {policy, faults} = parseAuditPolicy(text);
  if (policy === undefined) throw new CommandError(faults.map(fault => `${said}:${fault}`).join('\n'));
  return policy;
};
