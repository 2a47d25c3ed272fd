// SPDX-License-Identifier: Apache-2.0
import {fileURLToPath} from 'node:url';

/** The folder of the built console. It is read when a browser asks for it, so it need not exist. */
export const consoleFolder = (): string => fileURLToPath(new URL('../../../console/dist', import.meta.url));
