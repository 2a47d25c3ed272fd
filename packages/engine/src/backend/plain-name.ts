// SPDX-License-Identifier: Apache-2.0
/**
 * Names of stacks and projects. Each becomes one segment of a path below the backend's folder, so "." and ".." are refused, which
 * the CLI accepts. Ref: Pulumi sdk/go/common/tokens, ParseStackName, ValidateProjectName.
 */
const PLAIN_NAME = /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,100}$/;

export const PLAIN_NAME_RULE =
  'expected 1 to 100 letters, digits, hyphens, underscores and periods, and neither "." nor ".."';

export const isPlainName = (text: string): boolean => PLAIN_NAME.test(text);
