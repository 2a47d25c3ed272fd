// SPDX-License-Identifier: Apache-2.0
/** Everything that says what a format is. A change of one of them needs a fixture. */
import {createHash} from 'node:crypto';
import {type FileFormat, STORE_FORMAT} from '@palisade/store/sqlite';
import {LAYOUT_VERSION} from '../../../packages/engine/src/backend/file-backend.ts';
import {DEPLOYMENT_VERSION} from '../../../packages/engine/src/state/state-format.ts';
import {RECORD_FORMATS} from '../../../packages/ids/src/records/sqlite/formats.ts';
import {ARCHIVE_FORMAT} from '../../../packages/server/src/backup/manifest.ts';
import {FOLDER_MIGRATIONS} from '../../../packages/server/src/process/folder-format.ts';

const hash = (text: string): string =>
  createHash('sha256').update(text.replaceAll(/\s+/g, ' ')).digest('hex').slice(0, 16);

const ofFile = ({applicationId, migrations}: FileFormat) => ({
  applicationId: applicationId.toString(16),
  migrations: migrations.map(({to, since, sql}) => ({to, since, sql: hash(sql)})),
});

export const formatNumbers = () => ({
  store: ofFile(STORE_FORMAT),
  'record journal': ofFile(RECORD_FORMATS.journal),
  'record files': ofFile(RECORD_FORMATS.records),
  'evidence files': ofFile(RECORD_FORMATS.evidence),
  'data folder': FOLDER_MIGRATIONS.map(({to, since}) => ({to, since})),
  backups: ARCHIVE_FORMAT,
  'state of stacks': {layout: LAYOUT_VERSION, deployment: DEPLOYMENT_VERSION},
});
