// SPDX-License-Identifier: Apache-2.0
/** The page that says why a sign-in failed. It needs no script and no file of the console, which may not be built. */

const STYLE = [
  'body{margin:0;font:14px/1.45 system-ui,sans-serif}',
  'main{box-sizing:border-box;max-width:420px;margin:15vh auto 0;padding:16px;overflow-wrap:anywhere}',
  'h1{margin:0;font-size:20px}',
].join('');

const escaped = (text: string): string => text.replace(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`);

/**
 * HTML; texts are escaped.
 *
 * @param nonce of the Content-Security-Policy, for its style
 * @param returnTo path of the console that was asked for: without a session it shows the sign-in page
 */
export const faultPage = (message: string, {nonce, returnTo}: {readonly nonce: string; readonly returnTo: string}) =>
  [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="dark light">',
    '<title>Sign-in failed · Palisade</title><link rel="icon" href="/console/icon.svg" type="image/svg+xml">',
    `<style nonce="${escaped(nonce)}">${STYLE}</style></head>`,
    `<body><main><h1>Sign-in failed</h1><p>${escaped(message)}</p>`,
    `<p><a href="${escaped(returnTo)}">Back to the sign-in page</a></p></main></body></html>\n`,
  ].join('');
