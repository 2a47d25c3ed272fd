// SPDX-License-Identifier: Apache-2.0
/** YAML of the user that holds one document: Pulumi.yaml, Pulumi.<stack>.yaml. */
import {type Document, LineCounter, parseDocument} from 'yaml';
import {EngineError, messageOf} from '../engine-error.ts';
import {depthFault, yamlFaults} from './yaml-faults.ts';

/** Throws EngineError with a line for every fault: `<file>:LINE:COLUMN: what: way out`. */
export function parseYaml(text: string, file: string): Document {
  const tooDeep = depthFault(text);
  if (tooDeep !== undefined) throw new EngineError(`${file}:${tooDeep}`);
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {lineCounter, prettyErrors: false});
  const faults = yamlFaults([document], lineCounter);
  if (faults.length > 0) throw new EngineError(faults.map(fault => `${file}:${fault}`).join('\n'));
  return document;
}

export function contentOf(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    throw new EngineError(`${file}: ${messageOf(cause)}: write the values in place of the aliases`, {cause}); // too many aliases
  }
}
