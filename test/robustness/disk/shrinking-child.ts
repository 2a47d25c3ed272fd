// SPDX-License-Identifier: Apache-2.0
/** Shrinks a store. Run: node shrinking-child.ts FOLDER */
import {join} from 'node:path';
import {shrinkStore} from '@palisade/store/offline';
import {STORE_FILE} from '@palisade/store/sqlite';

shrinkStore(join(process.argv[2] ?? '', STORE_FILE));
