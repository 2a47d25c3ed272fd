// SPDX-License-Identifier: Apache-2.0
/** `--mirror-from`: networks that may send mirrored packets. Loads little: the server reads its flags with it. */
import {parseIp} from '@palisade/ids-wire/ip';
import {addressNumber, parseNetwork} from '../networks.ts';

const FORM = 'must be a network such as 10.0.0.0/8, or an address';
/** Senders that are remembered with their verdict; mirrors are few. */
const SENDERS_KEPT_MAX = 1_000;

const networkFault = (text: string): string | undefined => {
  if (text.startsWith('!')) return 'networks cannot be excluded here: list the networks that may send';
  const network = parseNetwork(text);
  if (network === undefined) return FORM;
  return network.hasHostBits ? `has host bits set: write ${network.word}` : undefined;
};

/** `words`: canonical, each once. `faults`: all of them, each beginning with the word that it is about where there is one. */
export const parseMirrorFrom = (
  given: readonly string[],
): {readonly words: readonly string[]; readonly faults: readonly string[]} => {
  const faults = given.flatMap(text => {
    const fault = networkFault(text);
    return fault === undefined ? [] : [`${text}: ${fault}`];
  });
  const networks = given.flatMap(text => parseNetwork(text) ?? []);
  if (given.length === 0) faults.push('lists no network');
  else if (faults.length === 0 && !networks.some(({v4}) => v4))
    faults.push(
      'lists no IPv4 network, but endpoints receive at IPv4 addresses: list the IPv4 addresses of the senders',
    );
  return {words: [...new Set(networks.map(({word}) => word))], faults};
};

/** Whether an address may send, for words of `parseMirrorFrom` without faults; undefined: any may. */
export const senderFilter = (words: readonly string[]): ((address: string) => boolean) | undefined => {
  if (words.length === 0) return undefined;
  const networks = words.flatMap(word => parseNetwork(word) ?? []);
  const known = new Map<string, boolean>();
  const judge = (address: string): boolean => {
    const ip = parseIp(address);
    if (ip === undefined) return false;
    const value = addressNumber(ip);
    return networks.some(({v4, first, last}) => v4 === ip.v4 && first <= value && value <= last);
  };
  return address => {
    const kept = known.get(address);
    if (kept !== undefined) return kept;
    const accepted = judge(address);
    if (known.size >= SENDERS_KEPT_MAX) known.clear();
    known.set(address, accepted);
    return accepted;
  };
};
