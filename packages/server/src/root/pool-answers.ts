// SPDX-License-Identifier: Apache-2.0
import {createSocket} from 'node:dgram';
import {formatIpv4, type Ipv4Range} from '@palisade/ids/ipv4-range';

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
export const unansweredOf = async ({first, count}: Ipv4Range): Promise<string[]> => {
  const ends = [first, first + count - 1].map(formatIpv4);
  const answered = await Promise.all(ends.map(answers));
  return ends.filter((_, i) => !answered[i]);
};
