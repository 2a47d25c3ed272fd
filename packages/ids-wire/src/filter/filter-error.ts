// SPDX-License-Identifier: Apache-2.0

/** A filter or order that cannot be understood. The message is for the client; `position` counts characters from 0. */
export class FilterError extends Error {
  override readonly name = 'FilterError';
  readonly position: number | undefined;
  constructor(message: string, position?: number) {
    super(position === undefined ? message : `${message} (at character ${position + 1})`);
    this.position = position;
  }
}
