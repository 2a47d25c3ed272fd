// SPDX-License-Identifier: Apache-2.0
/** A value from a token or a document that nobody has verified, as JSON in a reason. Never throws. */
const LENGTH_MAX = 500;

/** At most LENGTH_MAX characters and a mark. JSON.stringify overflows the stack for values that are nested deeply. */
export const foreignValue = (value: unknown): string => {
  let text: string;
  try {
    text = String(JSON.stringify(value));
  } catch {
    return 'a value that is nested too deeply';
  }
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text;
};
