// SPDX-License-Identifier: Apache-2.0
/** The plugin executable of package `cloudnative`. */
import {createCloudnativeProvider} from '../providers/cloudnative-provider.ts';
import {runPlugin} from './run-plugin.ts';

await runPlugin(createCloudnativeProvider);
