// SPDX-License-Identifier: Apache-2.0
/**
 * The URNs that a resource may have had before: those of its aliases, and for each alias by which its parent was found the one that
 * the resource had below that. Ref: Pulumi pkg/resource/deploy/step_generator.go, generateAliases.
 */
import {makeUrn, parseUrn} from '../../state/urn.ts';
import type {Alias, Goal} from '../goal.ts';
import type {FormerUrns, Run} from '../run.ts';

type Named = Pick<Goal, 'type' | 'name' | 'parent' | 'aliases'>;

const NONE: FormerUrns = {found: false, urns: []};

/** Without duplicates, its own first. `parent` is that of this run. */
export function formerUrns(run: Run, urn: string, of: Named): readonly string[] {
  const own = of.aliases.map(alias => urnOfAlias(run, of, alias));
  const {found, urns} = run.formerUrns.get(of.parent) ?? NONE;
  const inherited = urns.flatMap(formerParent =>
    [of, ...own.map(parseUrn)].map(child => urnBelow(run, {...of, formerParent}, child)),
  );
  run.formerUrns.set(urn, {found: false, urns: [...new Set([...own, ...inherited])]});
  return [...new Set([...own, ...inherited.filter(former => found || isChildStill(run, former, of.parent))])];
}

/** An earlier run renamed the parent and ended before it came to the child. Better than the CLI, which would create it again. */
const isChildStill = (run: Run, urn: string, parent: string): boolean => run.olds.get(urn)?.parent === parent;

function parentOfAlias(run: Run, parent: string): string {
  const {found, urns} = run.formerUrns.get(parent) ?? NONE;
  return (found ? urns[0] : undefined) ?? parent;
}

function urnOfAlias(run: Run, of: Named, alias: Alias): string {
  if ('urn' in alias) return alias.urn;
  const parent = alias.parent === undefined ? of.parent : parentOfAlias(run, alias.parent);
  return makeUrn({
    stack: alias.stack || run.options.stack,
    project: alias.project || run.options.project,
    parent,
    type: alias.type || of.type,
    name: alias.name || of.name,
  });
}

/** A child whose name begins with its parent's is taken to have been named after it then, too. */
function urnBelow(
  run: Run,
  of: {readonly parent: string; readonly formerParent: string},
  child: {readonly type: string; readonly name: string},
): string {
  const {stack, project} = run.options;
  const parentName = parseUrn(of.parent).name;
  const rest = child.name.startsWith(parentName) ? child.name.slice(parentName.length) : undefined;
  const name = rest === undefined ? child.name : parseUrn(of.formerParent).name + rest;
  return makeUrn({stack, project, parent: of.formerParent, type: child.type, name});
}
