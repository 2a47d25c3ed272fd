// SPDX-License-Identifier: Apache-2.0
/**
 * The data plane next to bare Suricata, in one run: CPU of all product processes per packet, loss at a fixed rate, memory of many endpoints,
 * loss during a live reload. Method: contracts of the data plane, section 6. Runs itself again in a network namespace of its own: needs root,
 * Suricata and tcpreplay, otherwise says so. A driver that cannot be used here is left out, and said so.
 *
 *   node bench/sensor-capture.bench.ts --help
 */
import {spawnSync} from 'node:child_process';
import {chmodSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {median, printFigure} from './figures.ts';
import {manyRules} from './many-rules.ts';
import {until} from './processes.ts';
import {
  DriverMissing,
  type Engine,
  openBare,
  openProduct,
  type Product,
  type ProductOptions,
  settled,
} from './sensor-capture/engines.ts';
import {
  BARE_LINK,
  ENDPOINT_POOL,
  type Link,
  MIRROR_LINK,
  type Network,
  openNetwork,
  send,
} from './sensor-capture/network.ts';
import {framesOf, meanBytes, mix, writeCapture} from './sensor-capture/traffic.ts';

const HELP = `node bench/sensor-capture.bench.ts [options]
  --drivers A,B      drivers to measure (default afpacket,afpacket-bpf,relay)
  --parts A,B        cpu, memory, reload (default all)
  --rounds N         rounds of bare and product in turn (default 7)
  --rate N           packets/s of a round (default 40000)
  --seconds N        length of a round (default 5)
  --rules N          rules of the rounds; 0: the bundled rules (default 0)
  --endpoints N      endpoints of the memory figure (default 20)
  --reload-rules N   rules of the reload (default 3000)
  --reload-packets N packets sent during the reload (default 300000)
  --reload-rate N    packets/s of the reload (default 15000)
`;
const {values: options} = parseArgs({
  options: {
    drivers: {type: 'string', default: 'afpacket,afpacket-bpf,relay'},
    parts: {type: 'string', default: 'cpu,memory,reload'},
    rounds: {type: 'string', default: '7'},
    rate: {type: 'string', default: '40000'},
    seconds: {type: 'string', default: '5'},
    rules: {type: 'string', default: '0'},
    endpoints: {type: 'string', default: '20'},
    'reload-rules': {type: 'string', default: '3000'},
    'reload-packets': {type: 'string', default: '300000'},
    'reload-rate': {type: 'string', default: '15000'},
    help: {type: 'boolean', default: false},
    inside: {type: 'boolean', default: false},
  },
});
const SELF = fileURLToPath(import.meta.url);
/** After the last packet, for what is still in a queue. */
const TAIL_MS = 1000;
/** Long enough for clock ticks to say something. */
const IDLE_MS = 10_000;
const folder = mkdtempSync(join(tmpdir(), 'palisade-bench-'));
chmodSync(folder, 0o755); // Suricata runs as another user

const row: Record<string, Record<string, string>> = {};
const report = (driver: string, name: string, unit: string, value: number, n: number, digits = 3): void => {
  const rounded = Math.round(value * 10 ** digits) / 10 ** digits;
  printFigure({name: `sensor_${driver.replace('-', '_')}_${name}`, unit, value: rounded, n});
  row[driver] ??= {};
  row[driver][name] = String(rounded);
};

type Round = {readonly cpuPerPacket: number; readonly suricataPerPacket: number; readonly loss: number};

const round = async (engine: Engine, network: Network, link: Link, file: string): Promise<Round> => {
  const decodedBefore = await engine.decoded(); // the question costs time too
  const cpuBefore = engine.cpu();
  const {packets, failed} = await send(network, link, file, Number(options.rate));
  await delay(TAIL_MS);
  const after = engine.cpu();
  const decoded = (await settled(engine, decodedBefore + packets)) - decodedBefore;
  if (failed > 0) console.error(`bench: ${failed} packets could not be sent`);
  return {
    cpuPerPacket: (after.all - cpuBefore.all) / decoded,
    suricataPerPacket: (after.suricata - cpuBefore.suricata) / decoded,
    loss: 1 - decoded / packets,
  };
};

const rulesFile = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text, {mode: 0o644});
  return path;
};

const productOptions = (driver: string, name: string): ProductOptions => ({
  dir: join(folder, `${driver}-${name}`),
  driver,
  pool: ENDPOINT_POOL,
  link: MIRROR_LINK.near,
});

const benchCpu = async (driver: string, network: Network): Promise<void> => {
  const count = Number(options.rules);
  const rules = count === 0 ? undefined : rulesFile('rounds.rules', manyRules(count));
  const product = await openProduct({...productOptions(driver, 'cpu'), rules});
  let bare: Engine | undefined;
  try {
    const {ip, vni} = await product.endpoint('e1');
    bare = await openBare(join(folder, 'bare'), await product.folder('e1'), BARE_LINK.near);
    const {farMac, nearMac, farIp} = MIRROR_LINK;
    const [frames, mirrored] = [join(folder, 'frames.pcap'), join(folder, 'mirrored.pcap')];
    const also = ['test/sensor/encapsulations.pcap', 'examples/shop/traffic/attack.pcap'].flatMap(path =>
      framesOf(resolve(path)),
    );
    const all = mix(Number(options.rate) * Number(options.seconds), also);
    console.error(`bench: ${driver}: ${all.length} frames, mean ${meanBytes(all)} bytes`);
    writeCapture(frames, all);
    writeCapture(mirrored, all, {fromMac: farMac, toMac: nearMac, fromIp: farIp, toIp: ip, vni});
    const idle = [product.cpu().all, bare.cpu().all] as const;
    await delay(IDLE_MS);
    report(driver, 'idle_cpu', 'us/s', ((product.cpu().all - idle[0]) * 1000) / IDLE_MS, 1, 0);
    report(driver, 'bare_idle_cpu', 'us/s', ((bare.cpu().all - idle[1]) * 1000) / IDLE_MS, 1, 0);
    const pairs: {readonly bare: Round; readonly product: Round}[] = [];
    for (let i = 0; i < Number(options.rounds); i++) {
      const one = await round(bare, network, BARE_LINK, frames);
      const other = await round(product, network, MIRROR_LINK, mirrored);
      pairs.push({bare: one, product: other});
      console.error(
        `bench: ${driver} round ${i + 1}: bare ${one.cpuPerPacket.toFixed(2)} us, product ${other.cpuPerPacket.toFixed(2)} us, loss ${one.loss.toFixed(5)} ${other.loss.toFixed(5)}`,
      );
    }
    const n = pairs.length;
    report(driver, 'bare_cpu', 'us/packet', median(pairs.map(pair => pair.bare.cpuPerPacket)), n);
    report(driver, 'product_cpu', 'us/packet', median(pairs.map(pair => pair.product.cpuPerPacket)), n);
    report(driver, 'suricata_cpu', 'us/packet', median(pairs.map(pair => pair.product.suricataPerPacket)), n);
    report(
      driver,
      'cpu_ratio',
      'ratio',
      median(pairs.map(pair => pair.product.cpuPerPacket / pair.bare.cpuPerPacket)),
      n,
    );
    report(driver, 'bare_loss', 'ratio', median(pairs.map(pair => pair.bare.loss)), n, 6);
    report(driver, 'product_loss', 'ratio', median(pairs.map(pair => pair.product.loss)), n, 6);
    report(driver, 'product_loss_most', 'ratio', Math.max(...pairs.map(pair => pair.product.loss)), n, 6);
  } finally {
    await bare?.close();
    await product.close();
  }
};

const benchMemory = async (driver: string): Promise<void> => {
  const product = await openProduct(productOptions(driver, 'memory'));
  try {
    const count = Number(options.endpoints);
    for (let i = 1; i <= count; i++) await product.endpoint(`e${i}`);
    const {rss, pss} = product.memory();
    report(driver, 'memory_rss', 'MiB', rss, count, 0);
    report(driver, 'memory_pss', 'MiB', pss, count, 0);
  } finally {
    await product.close();
  }
};

const benchReload = async (driver: string, network: Network): Promise<void> => {
  const text = manyRules(Number(options['reload-rules']));
  const rules = rulesFile(`${driver}.rules`, text);
  const product: Product = await openProduct({...productOptions(driver, 'reload'), rules});
  try {
    const {ip, vni, pid} = await product.endpoint('e1');
    const {farMac, nearMac, farIp} = MIRROR_LINK;
    const mirrored = join(folder, 'reload.pcap');
    const rate = Number(options['reload-rate']);
    const wanted = Number(options['reload-packets']);
    const all = mix(Math.min(wanted, 100_000), []);
    writeCapture(mirrored, all, {fromMac: farMac, toMac: nearMac, fromIp: farIp, toIp: ip, vni});
    const before = {decoded: await product.decoded(), loadedAt: await product.rulesLoadedAt()};
    rulesFile(`${driver}.rules`, `${text}alert tcp any any -> any any (msg:"more"; content:"more"; sid:9999999;)\n`);
    const sending = send(network, MIRROR_LINK, mirrored, rate, Math.ceil(wanted / all.length));
    await delay(TAIL_MS);
    product.reload();
    const reloaded = until('reload', async () => (await product.rulesLoadedAt()) !== before.loadedAt, 180_000);
    const {packets, seconds} = await sending;
    const reloadMs = await reloaded;
    const state = await product.health('e1');
    if (state['pid'] !== pid) throw new Error(`Suricata was restarted at the reload: ${JSON.stringify(state)}`);
    const decoded = (await settled(product, before.decoded + packets)) - before.decoded;
    report(driver, 'reload_lost', 'packets', packets - decoded, packets, 0);
    report(driver, 'reload_time', 's', reloadMs / 1000, 1, 1);
    if (reloadMs / 1000 > seconds - 1)
      console.error(
        `bench: ${driver}: the packets were sent in ${seconds} s, the reload took longer: lower --reload-rate`,
      );
  } finally {
    await product.close();
  }
};

const AIMS: readonly (readonly [name: string, heading: string, aim: string])[] = [
  ['bare_cpu', 'bare us/packet', ''],
  ['product_cpu', 'product us/packet', ''],
  ['suricata_cpu', 'of that, Suricata', ''],
  ['cpu_ratio', 'ratio', 'afpacket: 1.05'],
  ['bare_loss', 'bare loss', ''],
  ['product_loss', 'loss', '0'],
  ['product_loss_most', 'loss, worst round', '0'],
  ['idle_cpu', 'idle us/s', ''],
  ['bare_idle_cpu', 'bare idle us/s', ''],
  ['memory_rss', `RSS MiB, ${options.endpoints} endpoints`, '2048'],
  ['memory_pss', 'PSS MiB', ''],
  ['reload_lost', 'lost in reload', '0'],
  ['reload_time', 'reload s', ''],
];

const printTable = (): void => {
  const drivers = Object.keys(row);
  const lines = [
    ['', ...drivers, 'aim'],
    ...AIMS.filter(([name]) => drivers.some(driver => row[driver]?.[name] !== undefined)).map(([name, words, aim]) => [
      words,
      ...drivers.map(driver => row[driver]?.[name] ?? '-'),
      aim,
    ]),
  ];
  for (const [words = '', ...cells] of lines)
    console.error(`${words.padEnd(28)}${cells.map(cell => cell.padStart(16)).join('')}`);
};

const inNamespace = async (): Promise<void> => {
  const network = await openNetwork();
  const parts = options.parts.split(',');
  try {
    for (const driver of options.drivers.split(','))
      try {
        if (parts.includes('cpu')) await benchCpu(driver, network);
        if (parts.includes('memory')) await benchMemory(driver);
        if (parts.includes('reload')) await benchReload(driver, network);
      } catch (error) {
        if (!(error instanceof DriverMissing)) throw error;
        console.error(`bench: driver ${driver} is left out: ${error.message}`);
      }
    printTable();
  } finally {
    network.close();
  }
};

const runs = (command: string, ...args: readonly string[]): boolean =>
  spawnSync(command, args, {stdio: 'ignore'}).status === 0;

try {
  if (options.help) console.log(HELP);
  else if (options.inside) await inNamespace();
  else if (process.getuid?.() !== 0 || !runs('suricata', '-V') || !runs('tcpreplay', '--version'))
    console.error('bench: sensor-capture is left out: it needs root (network namespaces), Suricata and tcpreplay');
  else {
    const args = ['-n', process.execPath, SELF, '--inside', ...process.argv.slice(2)];
    process.exitCode = spawnSync('unshare', args, {stdio: 'inherit'}).status ?? 1;
  }
} finally {
  rmSync(folder, {recursive: true, force: true});
}
