// SPDX-License-Identifier: Apache-2.0
import type {PropertyMap} from '@palisade/provider';
import type {CustomTimeouts} from '../state/resource-state.ts';

/** What a program wants of one resource: a decoded RegisterResource request. */
export type Goal = {
  readonly type: string;
  readonly name: string;
  readonly custom: boolean;
  /** '' for the root stack. */
  readonly parent: string;
  readonly inputs: PropertyMap;
  readonly dependencies: readonly string[];
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
  /** `<urn>::<id>`; '' asks for the default provider. */
  readonly provider: string;
  /** Version of the package that the program was written against; '' when not given. */
  readonly version: string;
  readonly pluginDownloadUrl: string;
  readonly protect: boolean;
  readonly retainOnDelete: boolean;
  /** undefined: the provider decides. */
  readonly deleteBeforeReplace: boolean | undefined;
  readonly ignoreChanges: readonly string[];
  readonly replaceOnChanges: readonly string[];
  readonly additionalSecretOutputs: readonly string[];
  readonly aliases: readonly Alias[];
  readonly importId: string;
  readonly customTimeouts: CustomTimeouts;
  readonly deletedWith: string;
  /** `project:///index.ts#12,5`, '' when unknown. */
  readonly sourcePosition: string;
  /** The call stack of the declaration, innermost first. */
  readonly stackTrace: readonly StackFrame[];
};

/** What the resource was before; '' means what it is now. */
export type Alias =
  | {readonly urn: string}
  | {
      readonly name: string;
      readonly type: string;
      readonly stack: string;
      readonly project: string;
      /** '': it had none; undefined: the parent of now. */
      readonly parent: string | undefined;
    };

/** Empty for a place without a position. */
export type StackFrame = {readonly sourcePosition?: string};

/** What a program wants to look up: a decoded ReadResource request. */
export type ReadGoal = Pick<
  Goal,
  | 'type'
  | 'name'
  | 'parent'
  | 'provider'
  | 'version'
  | 'pluginDownloadUrl'
  | 'dependencies'
  | 'additionalSecretOutputs'
  | 'sourcePosition'
  | 'stackTrace'
> & {
  /** undefined: not known yet (preview). */
  readonly id: string | undefined;
  readonly properties: PropertyMap;
};

export const emptyGoal = (type: string, name: string): Goal => ({
  type,
  name,
  custom: false,
  parent: '',
  inputs: {},
  dependencies: [],
  propertyDependencies: {},
  provider: '',
  version: '',
  pluginDownloadUrl: '',
  protect: false,
  retainOnDelete: false,
  deleteBeforeReplace: undefined,
  ignoreChanges: [],
  replaceOnChanges: [],
  additionalSecretOutputs: [],
  aliases: [],
  importId: '',
  customTimeouts: {},
  deletedWith: '',
  sourcePosition: '',
  stackTrace: [],
});
