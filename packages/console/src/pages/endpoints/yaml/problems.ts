// SPDX-License-Identifier: Apache-2.0
/** What is wrong with a text, each at the line of its field. */
import {isKubeError} from '@palisade/client/browser';
import {isMap, isPair, isSeq, LineCounter, type Node, type Pair, parseDocument} from 'yaml';
import {errorText} from '../../../api/words.ts';

export type Problem = {
  /** As the server names it: `subsets[0].addresses[1].ip`. */
  readonly field?: string;
  readonly text: string;
  /** From 1; left out where no line is meant. */
  readonly line?: number;
  /** Of a merge: nothing is wrong with the text, but the user should look at it. */
  readonly isChoice?: true;
};

/** Names and indexes of a field: `metadata.labels[app.example/x]`, `subsets[0].ports`. Ref: apimachinery validation/field.Path.String. */
export function stepsOf(field: string): readonly (string | number)[] {
  const steps: (string | number)[] = [];
  for (const [, name, inner = ''] of field.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)) {
    if (name !== undefined) steps.push(name);
    else if (/^\d+$/.test(inner)) steps.push(Number(inner));
    else steps.push(inner.replace(/^"(.*)"$/, '$1'));
  }
  return steps;
}

/** The line of a field in a YAML text, from 1; that of its nearest parent where the field is missing. */
export function lineOf(text: string, field: string): number | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, {lineCounter: lines});
  let node: unknown = document.contents;
  let at: Node | undefined;
  const steps = stepsOf(field);
  for (let from = 0; from < steps.length; ) {
    const found = stepInto(node, steps, from);
    if (found === undefined) break;
    [at, node, from] = found;
  }
  const start = at?.range?.[0];
  return start === undefined ? undefined : lines.linePos(start).line;
}

/** Where the next steps lead: the node to point at, what is inside of it, and the index of the step after. */
function stepInto(
  node: unknown,
  steps: readonly (string | number)[],
  from: number,
): readonly [Node, unknown, number] | undefined {
  const step = steps[from];
  if (isSeq(node) && typeof step === 'number') {
    const item = node.items[step] as Node | undefined;
    return item == null ? undefined : [item, item, from + 1];
  }
  if (!isMap(node)) return undefined;
  // A key that has dots is several steps: `metadata.labels.app.example/x`.
  for (let end = steps.length; end > from; end--) {
    const name = steps.slice(from, end).join('.');
    const pair = node.items.find(item => isPair(item) && String((item as Pair<Node>).key) === name);
    if (pair !== undefined) return [pair.key as Node, pair.value, end];
  }
  return undefined;
}

/** Whether `longer` says all that `text` says, word for word. */
const includesWords = (longer: string, text: string): boolean =>
  longer.startsWith(text) && !/^\w/.test(longer.slice(text.length));

/** Without those that another one of the same field repeats with more words: the server judges an address by two rules. */
const distinct = (problems: readonly Problem[]): readonly Problem[] =>
  problems.filter(
    ({field, text}, at) =>
      !problems.some(
        (other, otherAt) =>
          other.field === field && includesWords(other.text, text) && (other.text.length > text.length || otherAt < at),
      ),
  );

const STRICT = /(unknown|duplicate) field "((?:[^"\\]|\\.)*)"/g;

/** All that the server refused, in its words, each at its line of `text`. */
export function problemsOf(error: unknown, text: string): readonly Problem[] {
  const at = (field: string): Pick<Problem, 'field' | 'line'> => {
    const line = lineOf(text, field);
    return {field, ...(line === undefined ? {} : {line})};
  };
  if (isKubeError(error)) {
    const {causes, message} = error.status;
    const named = causes.filter(cause => (cause.field ?? '') !== '' && cause.message !== undefined);
    if (named.length > 0) return distinct(named.map(cause => ({...at(cause.field ?? ''), text: cause.message ?? ''})));
    const strict = [...message.matchAll(STRICT)];
    if (strict.length > 0) return strict.map(([text, , field = '']) => ({...at(field), text}));
  }
  return [{text: errorText(error)}];
}
