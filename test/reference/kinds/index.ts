// SPDX-License-Identifier: Apache-2.0
/** The kinds that are compared: a new one is a file here and a line. */
import type {Subject} from '../steps.ts';
import {endpoints} from './endpoints.ts';
import {services} from './services.ts';

export const SUBJECTS: readonly Subject[] = [endpoints, services];
