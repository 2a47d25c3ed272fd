// SPDX-License-Identifier: Apache-2.0
/** The kinds that are compared: a new one is a file here and a line. */
import type {Subject} from '../steps.ts';
import {configMaps} from './config-maps.ts';
import {endpoints} from './endpoints.ts';
import {leases} from './leases.ts';
import {secrets} from './secrets.ts';
import {services} from './services.ts';

export const SUBJECTS: readonly Subject[] = [endpoints, configMaps, secrets, services, leases];
