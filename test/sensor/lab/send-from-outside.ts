// SPDX-License-Identifier: Apache-2.0
import {execFileSync} from 'node:child_process';

/** From another process in the network of `pid`: `count` datagrams, each as VXLAN, as fast as it can. */
export const sendFromOutside = (
  pid: number | undefined,
  ip: string,
  vni: number,
  frame: Buffer,
  count: number,
): void => {
  const script = `
    const socket = require('node:dgram').createSocket('udp4');
    const header = Buffer.alloc(8);
    header.writeUInt8(0x08, 0);
    header.writeUInt32BE(${vni} * 256, 4);
    const datagram = Buffer.concat([header, Buffer.from('${frame.toString('base64')}', 'base64')]);
    let left = ${count};
    const next = () => (left-- > 0 ? socket.send(datagram, 4789, '${ip}', next) : socket.close());
    next();`;
  execFileSync('nsenter', ['-t', String(pid), '-n', process.execPath, '-e', script]);
};
