// SPDX-License-Identifier: Apache-2.0
/** A real `palisade serve` with one endpoint that takes alerts, for the benches of records. In a network namespace of its own. */
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {end, start, until} from '../processes.ts';

const START_MS = 120_000;
const PARENT = 'projects/bench/locations/local';
export const NAME = `${PARENT}/endpoints/e1`;
export const ALERT_PORT = 7777;
export const ALERT_WORD = 'palisade-bench';
const RULES = `alert udp any any -> any ${ALERT_PORT} (msg:"BENCH alert"; content:"${ALERT_WORD}"; classtype:attempted-admin; sid:1; rev:1;)\n`;

export type AlertServer = {
  readonly base: string;
  /** Of the endpoint. */
  readonly url: string;
  readonly pid: number;
  /** Where Suricata's event file is. */
  readonly eveFile: () => string;
  readonly ip: string;
  readonly vni: number;
  readonly close: () => Promise<void>;
};

const readyLine = (log: string): {readonly http: string; readonly pid: number} | undefined => {
  const line = /^\{"ready":true.*$/m.exec(readFileSync(log, 'utf8'))?.[0];
  return line === undefined ? undefined : JSON.parse(line);
};

/** With its endpoint READY. */
export const openAlertServer = async (flags: readonly string[] = []): Promise<AlertServer> => {
  const folder = mkdtempSync(join(tmpdir(), 'palisade-bench-'));
  const [log, rules] = [join(folder, 'server.log'), join(folder, 'bench.rules')];
  writeFileSync(rules, RULES);
  const child = start(
    'palisade',
    resolve('node_modules/.bin/palisade'),
    [
      ...['serve', '--data', join(folder, 'data'), '--http', '127.0.0.1:0', '--auth', 'none', '--apis', 'ids'],
      ...['--driver', 'relay', '--log-level', 'error', '--rules', rules, ...flags],
    ],
    log,
  );
  const close = async (): Promise<void> => {
    await end(child);
    rmSync(folder, {recursive: true, force: true});
  };
  try {
    const ready = async (): Promise<boolean> => {
      if (child.exitCode !== null) throw new Error(readFileSync(log, 'utf8'));
      return readyLine(log) !== undefined;
    };
    await until('palisade serve', ready, START_MS);
    const {http, pid} = readyLine(log) ?? {http: '', pid: 0};
    const call = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
      const sent =
        body === undefined ? {} : {body: JSON.stringify(body), headers: {'content-type': 'application/json'}};
      const response = await fetch(`${http}/v1/${path}`, {method, ...sent});
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as Record<string, unknown>;
    };
    const settings = {network: 'bench', severity: 'INFORMATIONAL'};
    for (
      let operation = await call('POST', `${PARENT}/endpoints?endpointId=e1`, settings);
      operation['done'] !== true;
    ) {
      await delay(50);
      operation = await call('GET', String(operation['name']));
      if (operation['error'] !== undefined) throw new Error(JSON.stringify(operation['error']));
    }
    const [endpoint, health] = [await call('GET', NAME), await call('GET', `${NAME}/health`)];
    const [ip, vni] = [String(endpoint['endpointIp']), Number(health['vni'])];
    const endpoints = join(folder, 'data', 'sensors', 'endpoints');
    const eveFile = (): string => join(endpoints, readdirSync(endpoints)[0] ?? '', 'eve.json');
    return {base: http, url: `${http}/v1/${NAME}`, pid, ip, vni, eveFile, close};
  } catch (error) {
    await close();
    throw error;
  }
};
