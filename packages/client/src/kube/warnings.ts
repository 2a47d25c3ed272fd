// SPDX-License-Identifier: Apache-2.0
/** Texts of Warning headers, which kubectl prints. Ref: RFC 7234 section 5.5; kubernetes v1.36 apimachinery/pkg/util/net ParseWarningHeaders. */

/** Warn-code, warn-agent and the quoted warn-text. */
const WARNING = /(?:^|,)\s*(\d{3}) \S+ "((?:[^"\\]|\\.)*)"/g;
/** The code that Kubernetes uses; clients ignore the others. */
const PERSISTENT = '299';

/** Headers carry bytes; texts beyond ASCII are sent as UTF-8. */
function decoded(text: string): string {
  if (!/^[\0-\xff]*$/.test(text) || /^[\0-\x7f]*$/.test(text)) return text;
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(Uint8Array.from(text, char => char.charCodeAt(0)));
  } catch {
    return text; // Latin-1, as RFC 7230 says
  }
}

/** In the order of the header, of which several values are joined by commas. */
export const warningTexts = (header: string | undefined): readonly string[] =>
  [...(header ?? '').matchAll(WARNING)].flatMap(([, code, quoted = '']) =>
    code === PERSISTENT ? [decoded(quoted.replace(/\\(.)/g, '$1'))] : [],
  );
