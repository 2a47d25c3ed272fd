// SPDX-License-Identifier: Apache-2.0
import type {SignIn} from '../api/session.ts';

/** Browsers keep the answer to the question for a certificate until they are closed. */
const STEPS = 'import a certificate into the browser, close all of its windows, and open this page again';
const GUIDE = 'The steps are in docs/guides/console.md, "Sign in with a client certificate".';

/** How to sign in with a client certificate where the connection has no good one; undefined: it has one, or the server asks for none. */
export function certificateText({certificate, certificateAsked = false, certificateFault}: SignIn): string | undefined {
  if (certificate || !certificateAsked) return undefined;
  if (certificateFault === undefined)
    return `This connection showed no client certificate. To sign in with one, ${STEPS}. ${GUIDE}`;
  const fault = certificateFault.slice(0, 1).toUpperCase() + certificateFault.slice(1);
  return `${fault}. To use another one, ${STEPS}. ${GUIDE}`;
}
