// SPDX-License-Identifier: Apache-2.0
/**
 * From the slices that exist to those that are wanted, with as few writes as possible. Pure.
 *
 * I1 every endpoint of a group is in exactly one of its slices afterwards, and each slice has between 1 and `perSlice`.
 * I2 a slice is written only if its own content or metadata is wrong, or if it takes what no other written slice has room for.
 * I3 without a change of the group nothing is planned.
 */
import type {EndpointSlice, SliceEndpoint, SlicePort} from '../endpoint-slices/types.ts';
import {endpointKey, groupKey, isSameEndpoint, type SliceGroup} from './desired.ts';

export type SliceContent = {
  readonly addressType: string;
  readonly ports: readonly SlicePort[];
  readonly endpoints: readonly SliceEndpoint[];
};

export type Plan = {
  readonly creates: readonly SliceContent[];
  readonly updates: readonly {readonly slice: EndpointSlice; readonly content: SliceContent}[];
  readonly deletes: readonly EndpointSlice[];
};

export type PlanRules = {
  readonly perSlice: number;
  /** More slices of a group than are needed, by this factor, are packed again. */
  readonly sparseness: number;
  /** The metadata of the slice are as they should be. */
  isCurrent(slice: EndpointSlice): boolean;
};

export const planSlices = (
  groups: ReadonlyMap<string, SliceGroup>,
  existing: readonly EndpointSlice[],
  rules: PlanRules,
): Plan => {
  const byGroup = Map.groupBy(existing, ({addressType = '', ports}) => groupKey(addressType, ports ?? []));
  const plans = [...groups].map(([key, group]) => planGroup(group, byGroup.get(key) ?? [], rules));
  const strays = [...byGroup].flatMap(([key, slices]) => (groups.has(key) ? [] : slices));
  return reuse({
    creates: plans.flatMap(({creates}) => creates),
    updates: plans.flatMap(({updates}) => updates),
    deletes: [...plans.flatMap(({deletes}) => deletes), ...strays],
  });
};

/** A slice while it is planned. */
type Draft = {readonly slice: EndpointSlice; endpoints: SliceEndpoint[]; isChanged: boolean};

const planGroup = (group: SliceGroup, slices: readonly EndpointSlice[], rules: PlanRules): Plan => {
  const missing = new Map(group.endpoints);
  const drafts = slices.map(slice => draftOf(slice, missing, rules));
  const left = [...missing.values(), ...packAgain(drafts, group.endpoints.size, rules)];
  const rest = fill(drafts, left, rules.perSlice);
  const contentOf = (endpoints: readonly SliceEndpoint[]): SliceContent => ({
    addressType: group.addressType,
    ports: group.ports,
    endpoints,
  });
  const creates: SliceContent[] = [];
  for (let at = 0; at < rest.length; at += rules.perSlice) creates.push(contentOf(rest.slice(at, at + rules.perSlice)));
  return {
    creates,
    updates: drafts
      .filter(({endpoints, isChanged}) => isChanged && endpoints.length > 0)
      .map(({slice, endpoints}) => ({slice, content: contentOf(endpoints)})),
    deletes: drafts.filter(({endpoints}) => endpoints.length === 0).map(({slice}) => slice),
  };
};

/** What the slice keeps of the endpoints that are still missing; they are missing no longer. */
const draftOf = (slice: EndpointSlice, missing: Map<string, SliceEndpoint>, rules: PlanRules): Draft => {
  const before = slice.endpoints ?? [];
  const endpoints: SliceEndpoint[] = [];
  let isChanged = !rules.isCurrent(slice);
  for (const endpoint of before) {
    const key = endpointKey(endpoint);
    const wanted = missing.get(key);
    if (wanted === undefined || endpoints.length === rules.perSlice) {
      isChanged = true;
      continue;
    }
    missing.delete(key);
    endpoints.push(wanted);
    isChanged ||= !isSameEndpoint(wanted, endpoint);
  }
  return {slice, endpoints, isChanged};
};

/** Takes the content of the smallest slices when there are too many for so few endpoints. */
const packAgain = (drafts: readonly Draft[], count: number, {perSlice, sparseness}: PlanRules): SliceEndpoint[] => {
  const needed = Math.ceil(count / perSlice);
  const used = drafts.filter(({endpoints}) => endpoints.length > 0);
  if (used.length <= needed * sparseness) return [];
  const taken: SliceEndpoint[] = [];
  for (const draft of used.toSorted((a, b) => b.endpoints.length - a.endpoints.length).slice(needed)) {
    taken.push(...draft.endpoints);
    draft.endpoints = [];
  }
  return taken;
};

/** Puts endpoints where something is written anyway, then where all of the rest fits; returns those that need new slices. */
const fill = (drafts: readonly Draft[], left: readonly SliceEndpoint[], perSlice: number): readonly SliceEndpoint[] => {
  let at = 0;
  const add = (draft: Draft): void => {
    const room = perSlice - draft.endpoints.length;
    draft.endpoints = [...draft.endpoints, ...left.slice(at, at + room)];
    draft.isChanged = true;
    at = Math.min(left.length, at + room);
  };
  for (const draft of drafts)
    if (at < left.length && draft.isChanged && draft.endpoints.length > 0 && draft.endpoints.length < perSlice)
      add(draft);
  const rest = (left.length - at) % perSlice;
  if (rest > 0) {
    const roomy = drafts.filter(({endpoints}) => endpoints.length > 0 && endpoints.length + rest <= perSlice);
    const fullest = roomy.toSorted((a, b) => b.endpoints.length - a.endpoints.length)[0];
    if (fullest !== undefined) {
      const tail = left.slice(left.length - rest);
      fullest.endpoints = [...fullest.endpoints, ...tail];
      fullest.isChanged = true;
      return left.slice(at, left.length - rest);
    }
  }
  return left.slice(at);
};

/** A slice that would go becomes one that would be made, of the same family. Ref: reconciler_helpers.go recycleSlices. */
const reuse = ({creates, updates, deletes}: Plan): Plan => {
  const free = Map.groupBy(deletes, ({addressType = ''}) => addressType);
  const reused: Plan['updates'][number][] = [];
  const made = creates.filter(content => {
    const slice = free.get(content.addressType)?.shift();
    if (slice !== undefined) reused.push({slice, content});
    return slice === undefined;
  });
  return {creates: made, updates: [...updates, ...reused], deletes: [...free.values()].flat()};
};
