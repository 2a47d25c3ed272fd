// SPDX-License-Identifier: Apache-2.0
/** The plugin executable of package `platform`. */
import {createPlatformProvider} from '../providers/platform-provider.ts';
import {runPlugin} from './run-plugin.ts';

await runPlugin(createPlatformProvider);
