// SPDX-License-Identifier: Apache-2.0
/** Sends frames as a mirror does, as VXLAN (RFC 7348) or GENEVE (RFC 8926) datagrams, at a bounded rate. */
import {createSocket, type Socket} from 'node:dgram';

/** Of both. */
const HEADER_BYTES = 8;
/** Largest inner frame that fits one UDP datagram over IPv4. */
export const FRAME_BYTES_MAX = 65_507 - HEADER_BYTES;

export type Framing = {
  readonly name: 'VXLAN' | 'GENEVE';
  readonly port: number;
  /** The first 4 bytes of the header; the VNI and a reserved byte follow. */
  readonly start: number;
};

/** With the I flag: the VNI is valid. Ref: RFC 7348 section 5 and 8. */
export const VXLAN: Framing = {name: 'VXLAN', port: 4789, start: 0x0800_0000};
/** Version 0, no options, Trans Ether Bridging. Ref: RFC 8926 section 3. */
export const GENEVE: Framing = {name: 'GENEVE', port: 6081, start: 0x0000_6558};

/** Frames between two calls of `onProgress`. */
const PROGRESS_FRAMES = 10_000;

export type SendOptions = {
  readonly to: string;
  readonly vni: number;
  readonly framing: Framing;
  /** Frames per second. */
  readonly rate: number;
  readonly wait: (ms: number) => Promise<void>;
  readonly onProgress?: (sent: number) => void;
};

export const encapsulate = ({start}: Framing, vni: number, frame: Uint8Array): Buffer => {
  const datagram = Buffer.allocUnsafe(HEADER_BYTES + frame.length);
  datagram.writeUInt32BE(start, 0);
  datagram.writeUInt32BE(vni * 256, 4);
  datagram.set(frame, HEADER_BYTES);
  return datagram;
};

const send = (socket: Socket, datagram: Buffer, port: number, to: string): Promise<void> =>
  new Promise((resolve, reject) =>
    socket.send(datagram, port, to, error => (error === null ? resolve() : reject(error))),
  );

/** Resolves to the number of frames sent, each of at most FRAME_BYTES_MAX. Rejects with the error of the socket. */
export async function sendFrames(frames: AsyncIterable<Uint8Array>, options: SendOptions): Promise<number> {
  const {to, vni, framing} = options;
  const socket = createSocket('udp4');
  const burst = Math.max(1, Math.round(options.rate / 100)); // 10 ms worth of frames between pauses
  let sent = 0;
  try {
    for await (const frame of frames) {
      await send(socket, encapsulate(framing, vni, frame), framing.port, to);
      sent++;
      if (sent % PROGRESS_FRAMES === 0) options.onProgress?.(sent);
      if (sent % burst === 0) await options.wait((1000 * burst) / options.rate);
    }
  } finally {
    socket.close();
  }
  return sent;
}
