// SPDX-License-Identifier: Apache-2.0
/**
 * Checks that only connect. They close by FIN, as kubelet does, not by RST, which servers log as an error. Node cannot set SO_LINGER
 * to end TIME-WAIT early: each check leaves an entry of the kernel for a minute, unless the peer closes first.
 */
import {CLOSING_MS_MAX} from '../limits.ts';
import type {CheckTarget, TlsMethod} from '../port.ts';
import type {Attempt} from './attempt.ts';
import {type CheckPorts, openSocket} from './open-socket.ts';

export const checkTcp = (attempt: Attempt, {ip, port}: CheckTarget, ports: CheckPorts): void => {
  openSocket(attempt, {ip, port, tls: undefined, protocols: []}, ports, socket => {
    attempt.pass();
    socket.destroy();
  });
};

export const checkTls = (attempt: Attempt, {ip, port}: CheckTarget, {tls}: TlsMethod, ports: CheckPorts): void => {
  openSocket(attempt, {ip, port, tls, protocols: []}, ports, socket => {
    attempt.closeWith(() => socket.destroy());
    // The last message of the handshake is still to be sent: without it the peer would see, and log, a broken one.
    attempt.partWith(done => {
      socket.on('close', done).resume().end();
      ports.timers.after(CLOSING_MS_MAX, done);
    });
    attempt.pass();
  });
};
