// SPDX-License-Identifier: Apache-2.0
import {connect, createServer, type NetConnectOpts, type Server} from 'node:net';

/** Passes the bytes of each connection on to `target`. Keeps no process alive. */
export const forwarder = (target: NetConnectOpts): Server =>
  createServer(near => {
    const far = connect(target);
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
  }).unref();
