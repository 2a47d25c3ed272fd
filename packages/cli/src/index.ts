// SPDX-License-Identifier: Apache-2.0
/** The command line: for `bin/palisade`, the reference generator and tests. */
export type {Command} from './command-line/command.ts';
export {commandHelp} from './command-line/help.ts';
export type {CliIo, EngineParts} from './command-line/io.ts';
export {main} from './command-line/main.ts';
export {commands} from './commands/index.ts';
export {configurationSchema} from './configuration/json-schema.ts';
