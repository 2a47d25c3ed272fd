// SPDX-License-Identifier: Apache-2.0
/** Sends frames as VXLAN (RFC 7348) datagrams at a bounded rate. */
import {createSocket, type Socket} from 'node:dgram';

/** UDP port of VXLAN. Ref: RFC 7348 section 8. */
export const VXLAN_PORT = 4789;
const HEADER_BYTES = 8;
const FLAG_VNI_VALID = 0x08;
/** Largest inner frame that fits one UDP datagram over IPv4. */
export const FRAME_BYTES_MAX = 65_507 - HEADER_BYTES;

/** Frames between two calls of `onProgress`. */
const PROGRESS_FRAMES = 10_000;

export type SendOptions = {
  readonly to: string;
  readonly vni: number;
  /** Frames per second. */
  readonly rate: number;
  readonly wait: (ms: number) => Promise<void>;
  readonly onProgress?: (sent: number) => void;
};

export const encapsulate = (vni: number, frame: Uint8Array): Buffer => {
  const datagram = Buffer.allocUnsafe(HEADER_BYTES + frame.length);
  datagram.writeUInt32BE(FLAG_VNI_VALID << 24, 0);
  datagram.writeUInt32BE(vni * 256, 4);
  datagram.set(frame, HEADER_BYTES);
  return datagram;
};

const send = (socket: Socket, datagram: Buffer, to: string): Promise<void> =>
  new Promise((resolve, reject) =>
    socket.send(datagram, VXLAN_PORT, to, error => (error === null ? resolve() : reject(error))),
  );

/** Resolves to the number of frames sent, each of at most FRAME_BYTES_MAX. Rejects with the error of the socket. */
export async function sendFrames(frames: AsyncIterable<Uint8Array>, options: SendOptions): Promise<number> {
  const socket = createSocket('udp4');
  const burst = Math.max(1, Math.round(options.rate / 100)); // 10 ms worth of frames between pauses
  let sent = 0;
  try {
    for await (const frame of frames) {
      await send(socket, encapsulate(options.vni, frame), options.to);
      sent++;
      if (sent % PROGRESS_FRAMES === 0) options.onProgress?.(sent);
      if (sent % burst === 0) await options.wait((1000 * burst) / options.rate);
    }
  } finally {
    socket.close();
  }
  return sent;
}
