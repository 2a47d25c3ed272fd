// SPDX-License-Identifier: Apache-2.0

/** Ctrl+S or Ctrl+Enter, on a Mac with ⌘; Caps Lock makes S of s. */
export const isReviewKey = ({
  key,
  ctrlKey,
  metaKey,
}: {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}): boolean => (ctrlKey || metaKey) && (key.toLowerCase() === 's' || key === 'Enter');
