// SPDX-License-Identifier: Apache-2.0
/** REST v1: path and verb → handler. Every row names the query parameters that its method has. Ref: discovery document of ids v1. */
import type {Caller} from '../auth.ts';
import type {Work} from '../seated.ts';
import type {Service} from '../state/service.ts';
import type {AnyRequest, AnyResponse} from './exchange.ts';
import type {Query} from './query.ts';

export type {Work};

export type Call = {
  readonly service: Service;
  readonly caller: Caller;
  readonly request: AnyRequest;
  readonly response: AnyResponse;
  readonly query: Query;
  /** Resource name that the path carries (a parent for collections), decoded, without the `:verb` or the sub-resource. */
  readonly name: string;
};

export type Route = {
  readonly method: string;
  readonly path: RegExp;
  readonly parameters: readonly string[];
  /** Default: 'short'. */
  readonly work?: ((call: Call) => Work) | undefined;
  readonly handle: (call: Call) => Promise<void>;
};

/**
 * `projects/*\/locations/*\/endpoints` → a pattern whose first group is the resource name. `keep` counts the segments of the name;
 * the rest is the collection or sub-resource.
 */
export const pathPattern = (template: string, keep: number): RegExp => {
  const segments = template.split('/').map(segment => segment.replace('*', '[^/]+?'));
  const name = segments.slice(0, keep).join('/');
  const rest = segments.slice(keep).join('/');
  return new RegExp(`^(${name})${rest === '' ? '' : `/${rest}`}$`);
};

/** Percent-decodes each segment; undefined when one is malformed or would smuggle a slash in. */
export const decodePath = (path: string): string | undefined => {
  try {
    const segments = path.split('/').map(decodeURIComponent);
    return segments.some(segment => segment.includes('/')) ? undefined : segments.join('/');
  } catch {
    return undefined; // malformed percent-encoding: no such path
  }
};

export const matchRoute = (
  routes: readonly Route[],
  method: string,
  path: string,
): {readonly route: Route; readonly name: string} | undefined => {
  for (const route of routes) {
    if (route.method !== method) continue;
    const name = route.path.exec(path)?.[1];
    if (name !== undefined) return {route, name};
  }
  return undefined;
};
