// SPDX-License-Identifier: Apache-2.0
import type {PropertyMap, Provider} from '@palisade/provider';
import {copyAtPath, parsePropertyPath} from '@palisade/provider';
import {EngineError} from '../../engine-error.ts';
import {renameUrn} from '../../state/rename.ts';
import type {ResourceState} from '../../state/resource-state.ts';
import {isProviderType, makeUrn, ROOT_STACK_TYPE} from '../../state/urn.ts';
import type {Goal, StackFrame} from '../goal.ts';
import type {Run} from '../run.ts';

/** One registration on its way. */
export type Registration = {
  readonly goal: Goal;
  readonly urn: string;
  /** The live state before; undefined for a new resource. */
  readonly old: ResourceState | undefined;
  /** Filled step by step. */
  readonly next: ResourceState;
  /** undefined for components and for provider resources. */
  readonly provider: Provider | undefined;
  readonly seed: Uint8Array;
};

/** Throws when the program declared the URN already. */
export function claimUrn(run: Run, of: {type: string; name: string; parent: string; sourcePosition: string}): string {
  const {stack, project} = run.options;
  const urn = makeUrn({stack, project, parent: of.parent, type: of.type, name: of.name});
  const earlier = run.registered.get(urn);
  if (earlier !== undefined) {
    const places = [earlier, of.sourcePosition].filter(place => place !== '').map(shortPosition);
    const where = places.length === 2 ? ` (declared at ${places[0]} and again at ${places[1]})` : '';
    throw run.fail(urn, new EngineError(`Duplicate resource URN '${urn}'; try giving it a unique name${where}`));
  }
  const alias = run.aliased.get(urn);
  if (alias !== undefined)
    throw run.fail(
      urn,
      new EngineError(`Duplicate resource URN '${urn}' conflicting with alias on resource with URN '${alias}'`),
    );
  run.registered.set(urn, of.sourcePosition);
  if (of.type === ROOT_STACK_TYPE) run.rootStack = urn;
  return urn;
}

const shortPosition = (position: string): string =>
  position
    .replace(/^project:\/\/\//, '')
    .replace(
      /#(\d+),?(\d+)?$/,
      (_, line: string, column: string | undefined) => `:${line}${column ? `:${column}` : ''}`,
    );

/** By URN, then by alias; a match by alias renames the old URN everywhere at once. */
export function findOld(run: Run, urn: string, aliasUrns: readonly string[]): ResourceState | undefined {
  const direct = run.olds.get(urn);
  if (direct !== undefined) return direct;
  for (const alias of aliasUrns) {
    const old = run.olds.get(alias);
    if (old === undefined) continue;
    if (run.registered.has(alias))
      throw run.fail(
        urn,
        new EngineError(
          `Duplicate resource alias '${alias}' applied to resource with URN '${urn}' conflicting with that resource`,
        ),
      );
    run.aliased.set(alias, urn);
    run.formerUrns.set(urn, {found: true, urns: [alias]});
    run.olds.delete(alias);
    run.olds.set(urn, old);
    for (const state of run.options.prior) renameUrn(state, alias, urn);
    if (isProviderType(old.type)) run.options.providers.remember(`${urn}::${old.id}`, old);
    return old;
  }
  return undefined;
}

/** The package of a type token. Throws for what is no token. */
export function packageOf(type: string): string {
  const parts = type.split(':');
  if (parts.length !== 3 || parts[0] === undefined)
    throw new EngineError(`"${type}" is not a resource type (package:module:Type)`);
  return parts[0];
}

/** The program's inputs with the old value wherever changes are to be ignored. */
export const ignoreChanges = (goal: Goal, oldInputs: PropertyMap): PropertyMap =>
  goal.ignoreChanges.reduce<PropertyMap>(
    (news, path) => copyAtPath(news, oldInputs, parsePropertyPath(path)),
    goal.inputs,
  );

/** What this engine does not know about a resource stays with it; the trace is that of this run. */
export function carriedExtra(
  old: ResourceState | undefined,
  stackTrace: readonly StackFrame[],
): Readonly<Record<string, unknown>> {
  const {stackTrace: _, taint: __, ...others} = old?.extra ?? {};
  return stackTrace.length === 0 ? others : {...others, stackTrace};
}
