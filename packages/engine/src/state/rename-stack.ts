// SPDX-License-Identifier: Apache-2.0
import type {ResourceState} from './resource-state.ts';
import {parseUrn, ROOT_STACK_TYPE} from './urn.ts';

type Name = {readonly project: string; readonly name: string};

/** Returns what changes a state in place so that it belongs to the stack `to`. */
export function makeStackRenamer(from: Name, to: Name): (state: ResourceState) => void {
  const head = `urn:pulumi:${from.name}::${from.project}::`;
  const one = (text: string): string => {
    if (!text.startsWith(head)) return text;
    const renamed = `urn:pulumi:${to.name}::${to.project}::${text.slice(head.length)}`;
    const {type} = parseUrn(renamed);
    return type === ROOT_STACK_TYPE ? renamed.replace(/::[^:]*$/, `::${to.project}-${to.name}`) : renamed;
  };
  return state => {
    state.urn = one(state.urn);
    state.parent = one(state.parent);
    state.provider = one(state.provider);
    state.deletedWith = one(state.deletedWith);
    state.dependencies = state.dependencies.map(one);
    state.propertyDependencies = Object.fromEntries(
      Object.entries(state.propertyDependencies).map(([key, urns]) => [key, urns.map(one)]),
    );
  };
}
