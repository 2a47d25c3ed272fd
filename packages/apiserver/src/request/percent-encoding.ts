// SPDX-License-Identifier: Apache-2.0
import {decodeUtf8} from '@palisade/kube-wire';

/** Undefined when an escape is broken. As in Go any bytes will do: those that are no UTF-8 become U+FFFD. */
export const decodePercent = (text: string): string | undefined => {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
    const parts = text.split(/(%..)/);
    const bytes = Buffer.concat(
      parts.map(part => (part.startsWith('%') ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part))),
    );
    return decodeUtf8(bytes, 0, bytes.length);
  }
};
