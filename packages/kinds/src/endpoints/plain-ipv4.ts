// SPDX-License-Identifier: Apache-2.0

/**
 * True for a canonical dotted quad (no leading zeros) outside every range that an endpoint may not be in: what nearly all
 * addresses are, decided without allocating anything. False says nothing: the full rules decide then.
 */
export const isPlainIpv4 = (text: string): boolean => {
  const {length} = text;
  if (length < 7 || length > 15) return false;
  let octet = -1;
  let dots = 0;
  let first = 0;
  let second = 0;
  let third = 0;
  for (let i = 0; i < length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit === -2) {
      if (octet < 0) return false;
      if (dots === 0) first = octet;
      else if (dots === 1) second = octet;
      else if (dots === 2) third = octet;
      else return false;
      dots++;
      octet = -1;
    } else {
      if (digit < 0 || digit > 9 || octet === 0) return false;
      octet = octet < 0 ? digit : octet * 10 + digit;
      if (octet > 255) return false;
    }
  }
  if (dots !== 3 || octet < 0) return false;
  return (
    first !== 0 &&
    first !== 127 &&
    !(first === 169 && second === 254) &&
    !(first === 224 && second === 0 && third === 0)
  );
};
