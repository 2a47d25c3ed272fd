// SPDX-License-Identifier: Apache-2.0
/** The thread as the main thread sees it. */
import {Worker} from 'node:worker_threads';
import type {FromThread, ThreadReport, ThreadStart, ToThread} from './messages.ts';

export interface CheckThread {
  post(message: ToThread): void;
  /** At once, whatever it does. */
  terminate(): Promise<void>;
}

export type ThreadOptions = {
  readonly seed: number;
  readonly onReport: (report: ThreadReport) => void;
  readonly onFault: (fault: string) => void;
  /** Once, for whatever reason; `why` is empty where it ended by itself without an error. */
  readonly onEnd: (why: string) => void;
  /** What runs in it. Default: the product's. */
  readonly script?: URL | undefined;
};

export type OpenThread = (options: ThreadOptions) => CheckThread;

/** So that garbage is collected in time; 50,000 targets need a part of it. */
const THREAD_MEMORY = {maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 512} as const;
const SCRIPT = `./worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`;

export const openThread: OpenThread = ({seed, onReport, onFault, onEnd, script}) => {
  const workerData: ThreadStart = {seed};
  const worker = new Worker(script ?? new URL(SCRIPT, import.meta.url), {
    ...{name: 'palisade-checks', resourceLimits: THREAD_MEMORY, workerData},
  });
  let why = '';
  worker.on('message', (message: FromThread) => {
    if ('fault' in message) onFault(message.fault);
    else onReport(message);
  });
  worker.on('error', error => {
    why = error instanceof Error ? error.message : String(error);
  });
  worker.on('exit', () => onEnd(why));
  return {
    post: message => worker.postMessage(message),
    terminate: async () => {
      await worker.terminate();
    },
  };
};
