// SPDX-License-Identifier: Apache-2.0
/** The address of this machine on the route to the server: the own end of a connection to it. */
import {connect} from 'node:net';
import {TransportError} from '@palisade/client';
import {validateEndpointIp, validateIp} from '@palisade/kube-wire';
import {CommandError} from '../command-line/io.ts';

const CONNECT_MS_MAX = 5_000;

/** An IPv4 address in an IPv6 socket is the IPv4 address; a zone is a link of this machine. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '');

/** Why an address cannot be that of a member; '' where it can. */
export const addressFault = (address: string): string => {
  const faults = [...validateIp('', address), ...validateEndpointIp('', address)];
  return [...new Set(faults.map(({detail}) => detail))].join(', ');
};

/** Throws CommandError for an address that nobody else could connect to. */
export const usableAddress = (server: string, address: string): string => {
  const plain = plainAddress(address);
  const fault = addressFault(plain);
  if (fault === '') return plain;
  throw new CommandError(
    `the server ${server} is reached from ${plain}, which cannot be the address of a member: it ${fault}\ngive the address of this machine that others connect to: --address IP`,
  );
};

/** Rejects with TransportError where the server is not reached, with CommandError for an address that is no member's. */
export const ownAddressTo = (server: string): Promise<string> =>
  new Promise((done, fail) => {
    const {hostname, port, protocol} = new URL(server);
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
    });
    const end = (failure: unknown, address = ''): void => {
      socket.destroy();
      if (failure !== undefined) fail(failure);
      else {
        try {
          done(usableAddress(server, address));
        } catch (error) {
          fail(error);
        }
      }
    };
    const unreachable = (why: string, cause?: unknown): void =>
      end(new TransportError('unreachable', `cannot reach ${server}: ${why}`, {cause}));
    socket.setTimeout(CONNECT_MS_MAX, () => unreachable(`no connection within ${CONNECT_MS_MAX / 1000} s`));
    socket.once('error', error => unreachable(error.message, error));
    socket.once('connect', () => end(undefined, socket.localAddress));
  });
