// SPDX-License-Identifier: Apache-2.0
/** The process as Prometheus's client libraries show it, and Node's internals where they are asked for. */
import {readdirSync, readFileSync} from 'node:fs';
import {Counter, collectDefaultMetrics, Gauge, type Registry} from 'prom-client';

const US_PER_S = 1e6;
const MS_PER_S = 1_000;
const KIB = 1024;

/** A number of `/proc/self/FILE` after a name; undefined: there is no such line, or no such file system. */
const procNumber = (file: 'status' | 'limits', name: string): number | undefined => {
  try {
    const line = readFileSync(`/proc/self/${file}`, 'utf8')
      .split('\n')
      .find(text => text.startsWith(name));
    const [number] = line?.slice(name.length).match(/\d+/) ?? [];
    return number === undefined ? undefined : Number(number);
  } catch {
    return undefined;
  }
};

const inBytes = (kib: number | undefined): number | undefined => (kib === undefined ? undefined : kib * KIB);

const openFiles = (): number | undefined => {
  try {
    return readdirSync('/proc/self/fd').length - 1; // without the one that reads the folder
  } catch {
    return undefined;
  }
};

type Read = () => number | undefined;

const GAUGES: Readonly<Record<string, {readonly help: string; readonly read: Read}>> = {
  process_start_time_seconds: {
    help: 'Start time of the process since unix epoch in seconds.',
    read: () => performance.timeOrigin / MS_PER_S,
  },
  process_resident_memory_bytes: {
    help: 'Resident memory size in bytes.',
    read: () => inBytes(procNumber('status', 'VmRSS:')),
  },
  process_virtual_memory_bytes: {
    help: 'Virtual memory size in bytes.',
    read: () => inBytes(procNumber('status', 'VmSize:')),
  },
  process_open_fds: {help: 'Number of open file descriptors.', read: openFiles},
  process_max_fds: {
    help: 'Maximum number of open file descriptors.',
    read: () => procNumber('limits', 'Max open files'),
  },
};

/** Under the names and with the help of Prometheus's Go client, as kube-apiserver shows them. */
export const showProcess = (registers: Registry[]): void => {
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Total user and system CPU time spent in seconds.',
    registers,
    collect() {
      const {user, system} = process.cpuUsage();
      this.reset();
      this.inc((user + system) / US_PER_S);
    },
  });
  for (const [name, {help, read}] of Object.entries(GAUGES))
    new Gauge({
      ...{name, help, registers},
      collect() {
        const value = read();
        if (value !== undefined) this.set(value);
      },
    });
};

/** The monitor of the event loop wakes an idle process each so many milliseconds. */
const EVENT_LOOP_LOOK_MS = 100;
/** The library's own view of the process, and sums of other metrics that are no counters but end in _total. */
const LEFT_OUT = /^process_|^nodejs_active_\w+_total$/;

/** Before `showProcess`: the library registers its own metrics of the process, too. */
export const showNode = (register: Registry): void => {
  collectDefaultMetrics({register, eventLoopMonitoringPrecision: EVENT_LOOP_LOOK_MS});
  for (const {name} of register.getMetricsAsArray()) if (LEFT_OUT.test(name)) register.removeSingleMetric(name);
};
