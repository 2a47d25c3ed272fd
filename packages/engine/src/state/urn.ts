// SPDX-License-Identifier: Apache-2.0
/**
 * URNs: `urn:pulumi:<stack>::<project>::<parent types joined by $>$<type>::<name>`. The root stack's type never stands in the
 * chain of parent types. A name may contain `::`; stack, project and types may not. Ref: Pulumi sdk/go/common/resource/urn.
 */

export const ROOT_STACK_TYPE = 'pulumi:pulumi:Stack';
const PROVIDER_TYPE_PREFIX = 'pulumi:providers:';

export type UrnParts = {
  readonly stack: string;
  readonly project: string;
  /** With the parents' types: `a:b:C$d:e:F`. */
  readonly qualifiedType: string;
  /** The resource's own type. */
  readonly type: string;
  readonly name: string;
};

/** Splits a URN; throws when the text is none. */
export function parseUrn(urn: string): UrnParts {
  const [head, project, qualifiedType, ...name] = urn.split('::');
  const stack = head?.startsWith('urn:pulumi:') ? head.slice('urn:pulumi:'.length) : undefined;
  if (stack === undefined || project === undefined || qualifiedType === undefined || name.length === 0)
    throw new Error(`not a URN: ${urn}`);
  const type = qualifiedType.slice(qualifiedType.lastIndexOf('$') + 1);
  return {stack, project, qualifiedType, type, name: name.join('::')};
}

export const isUrn = (text: string): boolean => /^urn:pulumi:[^:]+::[^:]+::.+?::/.test(text);

export const urnName = (urn: string): string => parseUrn(urn).name;

/** The URN of a resource below `parent` ('' or the root stack: no parent type in it). */
export function makeUrn(of: {stack: string; project: string; parent: string; type: string; name: string}): string {
  const parentType = of.parent === '' ? ROOT_STACK_TYPE : parseUrn(of.parent).qualifiedType;
  const qualifiedType = parentType === ROOT_STACK_TYPE ? of.type : `${parentType}$${of.type}`;
  return `urn:pulumi:${of.stack}::${of.project}::${qualifiedType}::${of.name}`;
}

export const isProviderType = (type: string): boolean => type.startsWith(PROVIDER_TYPE_PREFIX);
export const providerType = (packageName: string): string => PROVIDER_TYPE_PREFIX + packageName;
export const providerPackage = (type: string): string => type.slice(PROVIDER_TYPE_PREFIX.length);

/** Default providers are an implementation matter: they are not counted and not shown. */
export function isDefaultProvider(urn: string): boolean {
  const {type, name} = parseUrn(urn);
  return isProviderType(type) && (name === 'default' || name.startsWith('default_'));
}

/** What `provider` fields hold: `<provider urn>::<id>`. */
export type ProviderReference = {readonly urn: string; readonly id: string};

export const formatReference = (ref: ProviderReference): string => `${ref.urn}::${ref.id}`;

/** Throws when the text is no reference. */
export function parseReference(text: string): ProviderReference {
  if (!isReference(text)) throw new Error(`not a provider reference: ${text}`);
  const at = text.lastIndexOf('::');
  return {urn: text.slice(0, at), id: text.slice(at + 2)};
}

export function isReference(text: string): boolean {
  const at = text.lastIndexOf('::');
  const urn = text.slice(0, at);
  return at >= 0 && isUrn(`${urn}::`) && isProviderType(parseUrn(urn).type);
}

/** Rewrites one URN or provider reference; others come back as they are. */
export const renameReference = (text: string, from: string, to: string): string =>
  text === from ? to : text.startsWith(`${from}::`) && isReferenceOf(text, from) ? to + text.slice(from.length) : text;

const isReferenceOf = (text: string, urn: string): boolean => text.lastIndexOf('::') === urn.length;
