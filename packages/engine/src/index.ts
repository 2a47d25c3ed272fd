// SPDX-License-Identifier: Apache-2.0
/** The embedded deployment engine: Pulumi programs without the Pulumi CLI. */
export {COMMANDS, commandHelp, type EngineCommand} from './command/catalog.ts';
export type {EngineIo} from './command/io.ts';
export type {ManagedObject, OperationPlan} from './command/operation-plan.ts';
export {runEngineCommand} from './command/run-engine-command.ts';
export type {ProviderFactories, ProviderFactory} from './deploy/providers/provider-registry.ts';
export {EngineError} from './engine-error.ts';
