// SPDX-License-Identifier: Apache-2.0
/** Backups for commands: of a folder, verified, restored. */
export {ArchiveError} from './archive-error.ts';
export {BACKUP_DEFAULTS} from './backup-config.ts';
export {BACKUP_PATH} from './backup-route.ts';
export {backUpFolder} from './offline.ts';
export {type ArchiveSummary, readArchive, readArchiveStream} from './read-archive.ts';
export {type Restored, restoreBackup} from './restore.ts';
export {writeBackupFile} from './write-backup-file.ts';
