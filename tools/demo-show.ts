// SPDX-License-Identifier: Apache-2.0
/** How the demo shows what it does: steps, commands with their output, and objects as kubectl prints them. */
import {spawnSync} from 'node:child_process';
import {resolve} from 'node:path';
import type {DemoServer} from './demo-server.ts';

const root = resolve(import.meta.dirname, '..');
export const palisade = resolve(root, 'node_modules/.bin/palisade');

export const say = (text = ''): void => console.log(text);
export const step = (text: string): void => say(`\n== ${text}`);

/** Runs a command whose output the reader sees; throws when it fails. `env`: in addition to that of this process. */
export const show = (command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): void => {
  say(`$ ${command === palisade ? 'palisade' : command} ${args.join(' ').replaceAll(`${root}/`, '')}`);
  const result = spawnSync(command, args, {
    cwd: root,
    env: {...process.env, NO_COLOR: '1', ...env},
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (result.status !== 0) throw new Error(`${args[0]} failed with exit code ${result.status}`);
};

/** A kind that the demo shows: its name for kubectl, the path of its list, and a field selector. */
export type Shown = {readonly resource: string; readonly path: string; readonly fieldSelector?: string};
export const ENDPOINTS: Shown = {resource: 'endpoints', path: '/api/v1/namespaces/default/endpoints'};

export type Table = {columnDefinitions: {name: string; priority: number}[]; rows: {cells: unknown[]}[]};

const pathOf = ({path, fieldSelector}: Shown): string =>
  fieldSelector === undefined ? path : `${path}?fieldSelector=${encodeURIComponent(fieldSelector)}`;

export const tableOf = async ({http}: DemoServer, shown: Shown): Promise<Table> => {
  const answer = await fetch(`${http}${pathOf(shown)}`, {
    headers: {accept: 'application/json;as=Table;v=v1;g=meta.k8s.io'},
  });
  if (!answer.ok) throw new Error(`GET ${shown.path} was answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Table;
};

/** kubectl's rows, by kubectl if it is installed, else from the same Table answer. */
export const showObjects = async (ready: DemoServer, shown: Shown): Promise<void> => {
  const {resource, fieldSelector} = shown;
  if (spawnSync('kubectl', ['version', '--client']).status === 0) {
    const selected = fieldSelector === undefined ? [] : ['--field-selector', fieldSelector];
    show('kubectl', ['--kubeconfig', ready.kubeconfig, 'get', resource, '--namespace', 'default', ...selected]);
    return;
  }
  const table = await tableOf(ready, shown);
  const columns = table.columnDefinitions.flatMap(({name, priority}, i) => (priority === 0 ? [{name, i}] : []));
  const rows = [
    columns.map(({name}) => name.toUpperCase()),
    ...table.rows.map(({cells}) => columns.map(({i}) => String(cells[i]))),
  ];
  const widths = columns.map((_, i) => Math.max(...rows.map(row => row[i]?.length ?? 0)));
  say(`$ GET ${pathOf(shown)}`);
  for (const row of rows)
    say(
      row
        .map((cell, i) => cell.padEnd((widths[i] ?? 0) + 3))
        .join('')
        .trimEnd(),
    );
};
