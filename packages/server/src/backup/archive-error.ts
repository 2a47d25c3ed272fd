// SPDX-License-Identifier: Apache-2.0

/** A backup that cannot be used. `member`: the part of the archive that is damaged, where that is known. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
  readonly member: string | undefined;
  constructor(what: string, member?: string, options?: ErrorOptions) {
    super(member === undefined ? what : `${member}: ${what}`, options);
    this.member = member;
  }
}
