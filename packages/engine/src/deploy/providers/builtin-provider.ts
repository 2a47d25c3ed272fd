// SPDX-License-Identifier: Apache-2.0
/** The package `pulumi` that every engine brings along: StackReference reads the outputs of another stack. */
import {
  type CheckResult,
  containsSecrets,
  isSecret,
  type PropertyMap,
  type PropertyValue,
  type Provider,
  ProviderError,
  type ReadRequest,
  type ReadResult,
} from '@palisade/provider';
import {parseUrn} from '../../state/urn.ts';

const STACK_REFERENCE = 'pulumi:pulumi:StackReference';

/** The outputs of a stack by its name as the program gave it; undefined when there is no such stack. */
export type StackOutputs = (name: string) => Promise<PropertyMap | undefined>;

const NO_DIFF = {
  changes: 'none',
  diffs: [],
  detailedDiff: {},
  replaces: [],
  deleteBeforeReplace: false,
  stables: [],
} as const;

const unsupported = (urn: string): ProviderError =>
  new ProviderError(
    'unimplemented',
    `resources of type ${parseUrn(urn).type} are not supported by the embedded engine`,
  );

export function builtinProvider(outputsOf: StackOutputs): Provider {
  const read = async (request: ReadRequest): Promise<ReadResult> => {
    if (parseUrn(request.urn).type !== STACK_REFERENCE) throw unsupported(request.urn);
    const given = request.inputs['name'] ?? request.id;
    const name = String(isSecret(given) ? given.value : given);
    const outputs = await outputsOf(name);
    if (outputs === undefined) throw new ProviderError('not-found', `unknown stack "${name}"`);
    // What is secret within an output is sealed in this stack's state too; the SDK asks the names which outputs it marks.
    const secretOutputNames: PropertyValue = Object.keys(outputs)
      .filter(key => containsSecrets(outputs[key] ?? null))
      .sort();
    return {id: name, properties: {name, outputs, secretOutputNames}, inputs: request.inputs};
  };
  const echo = async (request: {news: PropertyMap}): Promise<CheckResult> => ({inputs: request.news, failures: []});
  return {
    name: 'pulumi',
    version: '1.0.0',
    getSchema: () => '{}',
    checkConfig: echo,
    diffConfig: async () => NO_DIFF,
    configure: async () => undefined,
    check: echo,
    diff: async () => NO_DIFF,
    create: async request => {
      throw unsupported(request.urn);
    },
    update: async request => {
      throw unsupported(request.urn);
    },
    read,
    delete: async () => undefined,
    cancel: () => undefined,
  };
}
