// SPDX-License-Identifier: Apache-2.0
/** The socket side of a watch: takes frames, tells when it is full, when it drained and when the client is gone. */
import type {ServerResponse} from 'node:http';
import type {WatchSink} from '../cache/watcher.ts';
import type {WatchAnswer} from '../verbs/answer.ts';
import type {Headers, HttpResponse} from './exchange.ts';

/** How long a stream that was ended may take to drain before its connection is cut. */
const END_GRACE_MS = 5_000;

const buffered = (response: HttpResponse): number =>
  'stream' in response ? response.stream.writableLength : (response as ServerResponse).writableLength;

export const openWatchResponse = (
  response: HttpResponse,
  answer: WatchAnswer,
  headers: Headers,
  socketBytesMax: number,
): void => {
  headers['Content-Type'] = answer.contentType;
  const out = response as ServerResponse;
  out.writeHead(200, headers as never);
  out.flushHeaders();
  const sink: WatchSink = {
    write: bytes => {
      out.write(bytes);
      return buffered(response) < socketBytesMax;
    },
    onDrain: action => {
      out.on('drain', action);
    },
    end: () => {
      out.end();
      const cut = setTimeout(() => out.destroy(), END_GRACE_MS);
      cut.unref();
      out.once('close', () => clearTimeout(cut));
    },
  };
  const handle = answer.open(sink);
  out.once('close', () => handle.gone());
  handle.start();
};
