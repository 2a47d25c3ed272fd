// SPDX-License-Identifier: Apache-2.0

/** Rules of the usual mix; the same ones each time. */
export const manyRules = (count: number): string => {
  let state = 1;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below); // the high bits are the random ones
  };
  const word = (): string => Array.from({length: 8 + next(10)}, () => String.fromCharCode(97 + next(26))).join('');
  const kinds = [
    (w: string): string =>
      `alert dns any any -> any any (msg:"B ${w}"; dns.query; content:"${w}.example"; nocase; endswith;`,
    (w: string): string =>
      `alert tls any any -> any any (msg:"B ${w}"; flow:established,to_server; tls.sni; content:"${w}.example"; nocase;`,
    (w: string): string =>
      `alert http any any -> any any (msg:"B ${w}"; flow:established,to_server; http.uri; content:"/${w}.php"; nocase;`,
    (w: string): string =>
      `alert tcp any any -> any any (msg:"B ${w}"; flow:established,to_server; content:"${w}"; content:"|00 01|"; distance:2; within:20;`,
  ];
  return Array.from({length: count}, (_, i) => {
    const options = `classtype:trojan-activity; sid:${8_000_000 + i}; metadata:signature_severity Major;)\n`;
    return `${kinds[next(kinds.length)]?.(word())} ${options}`;
  }).join('');
};
