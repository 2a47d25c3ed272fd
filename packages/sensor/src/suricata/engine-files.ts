// SPDX-License-Identifier: Apache-2.0
/** The files besides rules that a Suricata process finds in its working folder: ours, and read by its user. */
import {join} from 'node:path';
import {replaceFile} from '../replace-file.ts';
import {type Classtype, renderClassifications, renderReferences} from './classifications.ts';
import {CLASSIFICATION_FILE, CONFIG_FILE, REFERENCE_FILE, THRESHOLD_FILE} from './config.ts';

const MODE = 0o644;

/** Of the user. */
export type EngineExtras = {
  /** Text of threshold.config. */
  readonly thresholds: string;
  /** Besides ours. */
  readonly classtypes: readonly Classtype[];
};
export const NO_EXTRAS: EngineExtras = {thresholds: '', classtypes: []};

export const writeEngineFiles = async (folder: string, config: string, extras: EngineExtras): Promise<void> => {
  await replaceFile(join(folder, CONFIG_FILE), config, MODE);
  await replaceFile(join(folder, CLASSIFICATION_FILE), renderClassifications(extras.classtypes), MODE);
  await replaceFile(join(folder, REFERENCE_FILE), renderReferences(), MODE);
  await replaceFile(join(folder, THRESHOLD_FILE), extras.thresholds, MODE);
};
