// SPDX-License-Identifier: Apache-2.0
/** The files besides rules that a Suricata process finds in its working folder. */
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {renderClassifications, renderReferences} from '../rules/classifications.ts';
import {CLASSIFICATION_FILE, CONFIG_FILE, REFERENCE_FILE, THRESHOLD_FILE} from './config.ts';

export const writeEngineFiles = async (folder: string, config: string): Promise<void> => {
  await writeFile(join(folder, CONFIG_FILE), config);
  await writeFile(join(folder, CLASSIFICATION_FILE), renderClassifications());
  await writeFile(join(folder, REFERENCE_FILE), renderReferences());
  await writeFile(join(folder, THRESHOLD_FILE), '');
};
