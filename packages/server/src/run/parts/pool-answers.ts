// SPDX-License-Identifier: Apache-2.0
import {createSocket} from 'node:dgram';
import {formatIpv4, parsePool} from '@palisade/ids';

/** Whether this host answers an IPv4 address: whether a UDP socket can be bound there, at any port. */
const answers = (address: string): Promise<boolean> =>
  new Promise(resolve => {
    const socket = createSocket('udp4');
    const end = (answered: boolean) => () => socket.close(() => resolve(answered));
    // Any other fault (no socket is left) says nothing of the address.
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code !== 'EADDRNOTAVAIL')());
    socket.bind({address, port: 0, exclusive: true}, end(true));
  });

/** Of the first and the last address of a pool, those that this host does not answer: the server cannot take mirrored traffic there. */
export const unansweredOf = async (pool: string): Promise<string[]> => {
  const range = parsePool(pool);
  if (range === undefined) return [];
  const ends = [range.first, range.first + range.count - 1].map(formatIpv4);
  const answered = await Promise.all(ends.map(answers));
  return ends.filter((_, i) => !answered[i]);
};

/** The pool as `ip route` takes it: 10.77.0.5/16 is 10.77.0.0/16. */
export const networkOf = (pool: string): string => {
  const range = parsePool(pool);
  return range === undefined ? pool : `${formatIpv4(range.first - 1)}/${pool.split('/')[1]}`;
};
