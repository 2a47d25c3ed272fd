// SPDX-License-Identifier: Apache-2.0
/**
 * The thread behind port-owner.ts. It sleeps outside its event loop, so that only a handful of datagrams is read at each look: the
 * kernel drops and counts the rest, and none of them costs a turn of JavaScript.
 */
import {createSocket, type Socket} from 'node:dgram';
import {readFileSync} from 'node:fs';
import {parentPort, workerData} from 'node:worker_threads';
import {ENCAPSULATIONS} from '../encapsulation.ts';
import {senderFilter} from '../mirror-from.ts';
import {parseUdpTable} from '../udp-table.ts';
import {NO_SAMPLES, type OwnerAnswer, type OwnerRequest, type OwnerSetUp, type PortSamples} from './port-owner.ts';

const {wake, lookMs, bufferBytes} = workerData as OwnerSetUp;
const signal = new Int32Array(wake);
const port = parentPort;
/** A reserved byte. Suricata takes the packet for no VXLAN when it is not 0, so the filter leaves it out. Ref: suricata 7 decode-vxlan.c. */
const VXLAN_LAST_AT = 7;
const PORTS = ENCAPSULATIONS.map(of => of.port);

type Owned = {
  readonly id: number;
  readonly ip: string;
  readonly sockets: readonly Socket[];
  readonly samples: {-readonly [K in keyof PortSamples]: PortSamples[K]};
};
const owned = new Map<number, Owned>();
const answer = (value: OwnerAnswer): void => port?.postMessage(value);

const open = ({id, ip, vni, acceptAnyVni, mirrorFrom}: Extract<OwnerRequest, {what: 'open'}>): Promise<void> => {
  const samples: Owned['samples'] = {...NO_SAMPLES};
  const mayAccept = senderFilter(mirrorFrom);
  const sockets = ENCAPSULATIONS.map(({name, parse}) => {
    const socket = createSocket({type: 'udp4', recvBufferSize: bufferBytes});
    socket.on('message', (datagram, {address}) => {
      samples.total++;
      const inner = parse(datagram);
      if (mayAccept !== undefined && !mayAccept(address)) {
        samples.refused++;
        samples.lastRefusedSender = address;
      } else if (inner === undefined || (name === 'VXLAN' && datagram[VXLAN_LAST_AT] !== 0)) samples.malformed++;
      else if (inner.vni === vni || acceptAnyVni) samples.own++;
      else {
        samples.foreign++;
        samples.lastForeignVni = inner.vni;
      }
    });
    return socket;
  });
  owned.set(id, {id, ip, sockets, samples});
  const bind = (socket: Socket, udpPort: number): Promise<void> =>
    new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({address: ip, port: udpPort, exclusive: true}, () => {
        socket.off('error', reject);
        socket.on('error', () => undefined); // of one datagram: the next look goes on
        resolve();
      });
    });
  return ENCAPSULATIONS.reduce(
    (before, encapsulation, index) =>
      before.then(() => {
        const socket = sockets[index];
        return socket === undefined
          ? undefined
          : bind(socket, encapsulation.port).catch((error: NodeJS.ErrnoException) => {
              throw Object.assign(error, {encapsulation: `${encapsulation.port} (${encapsulation.name})`});
            });
      }),
    Promise.resolve(),
  );
};

const close = (id: number): void => {
  for (const socket of owned.get(id)?.sockets ?? []) {
    try {
      socket.close();
    } catch {
      // it was not bound
    }
  }
  owned.delete(id);
};

const report = (): void => {
  if (owned.size === 0) return;
  let table: string;
  try {
    table = readFileSync('/proc/self/net/udp', 'latin1');
  } catch {
    return; // the process has no file descriptor left just now: the next look counts what came
  }
  for (const {id, ip, samples} of owned.values()) {
    const drops = parseUdpTable(table, ip, PORTS)?.drops ?? 0;
    answer({id, samples: {...samples, total: samples.total + drops}});
  }
};

port?.on('message', (request: OwnerRequest) => {
  const {id} = request;
  if (request.what === 'open') {
    void open(request).then(
      () => answer({id, done: true}),
      (error: NodeJS.ErrnoException & {encapsulation?: string}) => {
        close(id);
        answer({id, done: true, failed: {code: error.code, message: error.message, port: error.encapsulation}});
      },
    );
    return;
  }
  report();
  if (request.what === 'close') close(id);
  answer({id, done: true});
});

/** Turns of the event loop at a look: messages of the server, binds, and a bounded number of datagrams. */
const TURNS = 4;
let turn = 0;
const look = (): void => {
  turn = (turn + 1) % TURNS;
  if (turn === 0) {
    report();
    Atomics.wait(signal, 0, 0, lookMs);
    Atomics.store(signal, 0, 0);
  }
  setImmediate(look);
};
setImmediate(look);
