// SPDX-License-Identifier: Apache-2.0
/** The embedded deployment engine: Pulumi programs without the Pulumi CLI. A library: it reads no flags and prints nothing. */
export type {Env} from './backend/backend-url.ts';
export type {UpdateRecord} from './backend/file-backend.ts';
export {
  type ChangeSummary,
  type EngineEvent,
  type EventSink,
  hasChanges,
  type Step,
  type StepOp,
} from './deploy/events.ts';
export type {ProviderFactories, ProviderFactory} from './deploy/providers/provider-registry.ts';
export {sameValue} from './deploy/steps/judge-diff.ts';
export {EngineError} from './engine-error.ts';
export {
  type ConfigEntry,
  type ConfigValue,
  getConfig,
  listConfig,
  removeConfig,
  setConfig,
} from './operations/config.ts';
export {copyConfig, refreshConfig} from './operations/copy-config.ts';
export {
  type Chosen,
  deleteFromState,
  LIST_URNS,
  protectInState,
  renameInState,
  repairState,
} from './operations/edit-state.ts';
export {type ImportList, parseImportFile} from './operations/import-list.ts';
export {codeOfImport, type ImportPlan, planImport} from './operations/imports.ts';
export type {Kind, ManagedObject, OperationPlan} from './operations/operation-plan.ts';
export type {OperationResult} from './operations/operations.ts';
export {
  type OperationOptions,
  type Outcome,
  type RunInfo,
  type RunObserver,
  runOperation,
} from './operations/run-operation.ts';
export {decrypter, type ShownStack, showStack, stackHistory} from './operations/show-stack.ts';
export {
  chooseStack,
  createStack,
  listStacks,
  removeStack,
  renameStack,
  type StackRow,
  unlockStack,
} from './operations/stacks.ts';
export {exportState, importState} from './operations/state-files.ts';
export {Workspace, type WorkspaceOptions} from './operations/workspace.ts';
export {mendedLines} from './state/integrity.ts';
export {type Json, type JsonObject, stateToJson, valueToJson} from './state/resource-json.ts';
export type {ResourceState} from './state/resource-state.ts';
export {SecretsError} from './state/secrets.ts';
export {isDefaultProvider, isUrn, parseUrn, ROOT_STACK_TYPE, urnName} from './state/urn.ts';
export type {System} from './system.ts';
export {configPlace} from './workspace/config-place.ts';
export {configText, holdsSecure, revealConfig, shortConfigKey} from './workspace/config-value.ts';
export {assertFolder, assertWritable, readNamedFile, writeNamedFile} from './workspace/named-file.ts';
