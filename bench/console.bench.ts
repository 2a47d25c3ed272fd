// SPDX-License-Identifier: Apache-2.0
/**
 * The console in a real browser: first paint and scripts of the first page; frames while alerts stream into the threats table; time to a
 * complete table of many Endpoints, and memory.
 *
 *   node bench/console.bench.ts [first-page] [stream] [table] [--alerts 10000] [--sets 100000]
 */
import {parseArgs} from 'node:util';
import type {Page} from 'playwright-core';
import {type ConsoleBrowser, openBrowser} from '../test/console/support/browser.ts';
import {whyNoBrowser} from '../test/console/support/browser-program.ts';
import {type ConsoleServer, startConsoleServer} from '../test/console/support/console-server.ts';
import {IDS_RULES, seedIds, streamAlerts} from '../test/console/support/seed/ids.ts';
import {manySets} from '../test/console/support/seed/many-sets.ts';
import {heapMiB, observe, paintsOf, printFrames, scrollDuring} from './console/frames.ts';
import {median, printFigure} from './figures.ts';
import {until} from './processes.ts';

const ROUNDS = 5;
const ALERTS_PER_SECOND = 500;
const WAIT_MS = 300_000;
const GRID = '[role="grid"]';

const {values, positionals} = parseArgs({
  allowPositionals: true,
  options: {alerts: {type: 'string', default: '10000'}, sets: {type: 'string', default: '100000'}},
});
const [alerts, sets] = [Number(values.alerts), Number(values.sets)];

/** The header is a row, too. */
const rowCount = async (page: Page): Promise<number> =>
  Number(await page.evaluate(`document.querySelector('${GRID}')?.getAttribute('aria-rowcount') ?? 1`)) - 1;

const visit = (browser: ConsoleBrowser, server: ConsoleServer, path: string, work: (page: Page) => Promise<void>) =>
  browser.visit(server, {}, async ({page, context}) => {
    await observe(context);
    await page.goto(`${server.url}/console/${path}`);
    await work(page);
  });

/** Bytes of the scripts, as they were sent. */
const SCRIPT_BYTES = `performance.getEntriesByType('resource')
  .filter(({name}) => name.endsWith('.js')).reduce((sum, {encodedBodySize}) => sum + encodedBodySize, 0)`;

const firstPage = async (browser: ConsoleBrowser): Promise<void> => {
  await using server = await startConsoleServer();
  const [first, largest]: [number[], number[]] = [[], []];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round++)
    await visit(browser, server, '', async page => {
      await page.getByRole('main').getByRole('heading').first().waitFor();
      const paints = await paintsOf(page);
      first.push(paints.first);
      largest.push(paints.largest);
      bytes = await page.evaluate<number>(SCRIPT_BYTES);
    });
  printFigure({name: 'console.first-page.scripts', unit: 'KiB sent', value: Math.round(bytes / 1024)});
  printFigure({name: 'console.first-page.first-paint', unit: 'ms', value: Math.round(median(first)), n: ROUNDS});
  printFigure({name: 'console.first-page.largest-paint', unit: 'ms', value: Math.round(median(largest)), n: ROUNDS});
};

/** Scrolls a table while `during` runs. */
const stream = async (browser: ConsoleBrowser): Promise<void> => {
  await using server = await startConsoleServer({sensors: true, rules: IDS_RULES});
  const before = (await seedIds(server)).length;
  await visit(browser, server, 'threats', async page => {
    await until('the first threats', async () => (await rowCount(page)) > 0, WAIT_MS);
    const frames = await scrollDuring(page, GRID, streamAlerts(server, alerts, ALERTS_PER_SECOND));
    await printFrames(page, 'console.stream', frames);
    const shown = await until('the last alert', async () => (await rowCount(page)) >= before, WAIT_MS);
    printFigure({name: 'console.stream.behind', unit: 'ms', value: Math.round(shown), n: alerts});
    printFigure({name: 'console.stream.heap', unit: 'MiB', value: await heapMiB(page), n: alerts});
  });
};

const table = async (browser: ConsoleBrowser): Promise<void> => {
  await using server = await startConsoleServer();
  await manySets(server, sets);
  await visit(browser, server, 'endpoints', async page => {
    const rows = await until('the first rows', async () => (await rowCount(page)) > 0, WAIT_MS);
    const complete = rows + (await until('all rows', async () => (await rowCount(page)) >= sets, WAIT_MS));
    printFigure({name: 'console.table.first-rows', unit: 'ms', value: Math.round(rows), n: sets});
    printFigure({name: 'console.table.all-rows', unit: 'ms', value: Math.round(complete), n: sets});
    printFigure({name: 'console.table.heap', unit: 'MiB', value: await heapMiB(page), n: sets});
    const frames = await scrollDuring(page, GRID, new Promise(done => setTimeout(done, 5_000)));
    await printFrames(page, 'console.table.scroll', frames);
    const began = performance.now();
    await page.getByRole('searchbox').fill('set-000077');
    await until('the filter', async () => (await rowCount(page)) === 1, WAIT_MS);
    printFigure({name: 'console.table.filter', unit: 'ms', value: Math.round(performance.now() - began), n: sets});
  });
};

const PARTS = {'first-page': firstPage, stream, table};
if (whyNoBrowser === undefined) {
  await using browser = await openBrowser();
  for (const [name, part] of Object.entries(PARTS))
    if (positionals.length === 0 || positionals.includes(name)) await part(browser);
} else console.error(`console: ${whyNoBrowser}`);
