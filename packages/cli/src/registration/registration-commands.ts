// SPDX-License-Identifier: Apache-2.0
import type {Command} from '../command-line/command.ts';
import {deregister} from './deregister.ts';
import {register} from './register.ts';

export const registrationCommands: readonly Command[] = [register, deregister];
