// SPDX-License-Identifier: Apache-2.0
/**
 * What a strict reading finds in the operations of a JSON patch, in the order of the text: fields that no operation has,
 * and fields twice. Ref: kubernetes v1.36 apiserver pkg/endpoints/handlers/patch.go, jsonPatchOp; sigs.k8s.io/json
 * kubernetes_patch.go, saveStrictError.
 */
import {goQuote} from '../go/quote.ts';
import {cannotUnmarshal, DecodeError} from './decode-error.ts';
import {type JsonNode, scanJson} from './json-scan.ts';
import {StrictFaults} from './strict-faults.ts';
import {treeToJson} from './untyped.ts';

const FIELDS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/** That an operation has a field that none has. */
export const isStrayField = (key: string): boolean => !FIELDS.has(key);

/**
 * `json patch unknown field "[0].x"`; the body has been read before, so it is JSON. Throws DecodeError for a value of the wrong
 * type, also one that a later field of the same name replaces.
 */
export function operationFaults(body: string | Uint8Array): readonly string[] {
  const tree = scanJson(body);
  const faults = new StrictFaults();
  if (tree.kind === 'array') for (const [i, item] of tree.items.entries()) addFaults(item, `[${i}]`, faults);
  return faults.texts;
}

function addFaults(operation: JsonNode, path: string, faults: StrictFaults): void {
  if (operation.kind === 'null') return;
  if (operation.kind !== 'object') throw mismatch(operation.kind, 'value of type handlers.jsonPatchOp');
  const seen = new Set<string>();
  const tell = (what: string, at: string): void => faults.tell(() => `json patch ${what} field ${goQuote(at)}`);
  const twice = (at: string): void => tell('duplicate', at);
  for (const [i, key] of operation.keys.entries()) {
    const at = `${path}.${key}`;
    if (isStrayField(key)) {
      tell('unknown', at);
      continue;
    }
    if (seen.has(key)) twice(at);
    seen.add(key);
    const value = operation.values[i] as JsonNode;
    if (key === 'value') treeToJson(value, {onDuplicate: twice, path: at, spelled: refuseHugeNumber});
    else if (value.kind !== 'string' && value.kind !== 'null') {
      throw mismatch(value.kind, `struct field jsonPatchOp.${key} of type string`);
    }
  }
}

const refuseHugeNumber = (node: JsonNode): undefined => {
  if (node.kind !== 'number' || Number.isFinite(Number(node.text))) return;
  throw mismatch(`number ${node.text}`, 'struct field jsonPatchOp.value of type float64');
};

const mismatch = (what: string, where: string): DecodeError => new DecodeError(cannotUnmarshal(what, where));
