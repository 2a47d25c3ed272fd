// SPDX-License-Identifier: Apache-2.0
/** Texts that act if a page takes them for markup. Each is harmless and leaves a trace that `watchFaults` finds. */

/** An attribute of the elements that these texts become. */
export const HOSTILE_MARK = 'data-hostile';

/** With a blank in front of each attribute only: fits where quotes and semicolons are not permitted. */
export const HOSTILE = `<img ${HOSTILE_MARK} src=x onerror=alert(1)>`;
export const HOSTILE_SCRIPT = `</script><script ${HOSTILE_MARK}>alert(2)</script>`;
export const HOSTILE_ATTRIBUTE = `" onmouseover="alert(3)" ${HOSTILE_MARK}="`;
export const HOSTILE_LINK = 'javascript:alert(4)';
