// SPDX-License-Identifier: Apache-2.0
/** An OpenTelemetry Collector with the receiver `otlp` and the exporter `file`, built from its Go modules (bench/peers/otelcol). */
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {connect} from 'node:net';
import {join} from 'node:path';
import {peerOrWhyNot} from '../../../bench/peers.ts';
import {end, freePort, start, until} from '../../../bench/processes.ts';
import {type LogsJson, logsOf, type ReceivedLog} from './otlp-receiver.ts';

const {path: program, whyNot} = peerOrWhyNot('otelcol');
export const whyNoCollector = whyNot === '' ? '' : ` (skipped: ${whyNot})`;

const CONFIGURATION = (port: number, out: string): string => `
receivers:
  otlp:
    protocols:
      http:
        endpoint: 127.0.0.1:${port}
exporters:
  file:
    path: ${out}
    append: true
    flush_interval: 100ms
service:
  pipelines:
    logs: {receivers: [otlp], exporters: [file]}
`;

export type Collector = AsyncDisposable & {
  readonly port: number;
  /** Out of its file, which has whole lines alone when it has ended. */
  readonly logs: () => readonly ReceivedLog[];
  readonly stop: () => Promise<void>;
};

const isListening = (port: number): Promise<boolean> =>
  new Promise(done => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      done(true);
    });
    socket.on('error', () => done(false));
  });

/** `port`: of one that ended. */
export async function startCollector(dir: string, port?: number): Promise<Collector> {
  const at = port ?? (await freePort());
  const out = join(dir, 'logs.json');
  const configuration = join(dir, 'otelcol.yaml');
  writeFileSync(configuration, CONFIGURATION(at, out));
  const log = join(dir, 'otelcol.log');
  const child = start('otelcol', program, ['--config', `file:${configuration}`], log);
  await until('otelcol', async () => child.exitCode !== null || isListening(at), 30_000);
  if (child.exitCode !== null) throw new Error(`otelcol ended: ${readFileSync(log, 'utf8')}`);
  const stop = (): Promise<void> => end(child);
  const logs = (): readonly ReceivedLog[] =>
    existsSync(out)
      ? readFileSync(out, 'utf8')
          .split('\n')
          .slice(0, -1)
          .flatMap(line => logsOf(JSON.parse(line) as LogsJson))
      : [];
  return {port: at, logs, stop, [Symbol.asyncDispose]: stop};
}
