// SPDX-License-Identifier: Apache-2.0
/** `palisade describe`: an IDS endpoint with its health, an Endpoints object or a namespace with who holds it, or the list of all IDS endpoints. */
import {type EndpointHealth, type IdsEndpoint, parseEndpointName} from '@palisade/client';
import type {Command} from '../cli/command.ts';
import {EXIT} from '../cli/io.ts';
import {type OptionTable, parseOptions} from '../cli/options.ts';
import {allEndpoints, connectionOptions, resolveEndpoint, withIdsClient} from './connection.ts';
import {describeKube, kubeText} from './describe-kube.ts';
import {withKubeClient} from './kube-connection.ts';
import {parseTarget} from './why-not-deleted.ts';

const options = {
  namespace: {type: 'string', value: 'NS', default: 'default', doc: 'Namespace of an Endpoints object.'},
  ...connectionOptions,
} as const satisfies OptionTable;
/** `endpoints/web`, `ns/shop`: an object of the Kubernetes side. */
const KUBE_WORD = /^(ep|endpoints|ns|namespaces?)\/[^/]+$/;

const scalar = (value: unknown): string =>
  Array.isArray(value)
    ? value.length === 0
      ? '-'
      : value.map(scalar).join(', ')
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
          .map(([k, v]) => `${k} ${scalar(v)}`)
          .join(', ')
      : String(value);

const text = (endpoint: IdsEndpoint, health: EndpointHealth): string => {
  const rows = [...Object.entries(endpoint), ...Object.entries(health).map(([k, v]) => [`health.${k}`, v] as const)];
  const width = Math.max(...rows.map(([k]) => k.length)) + 2;
  return rows.map(([k, v]) => `${`${k}:`.padEnd(width)} ${scalar(v)}\n`).join('');
};

export const describe: Command = {
  name: 'describe',
  summary: 'an IDS endpoint with its health (all of them in short), or an Endpoints object with who holds it',
  usage: 'palisade describe [NAME | endpoints/NAME | namespaces/NAME] [--namespace NS] [--json]',
  options,
  examples: [
    'palisade describe',
    'palisade describe guard',
    'palisade describe endpoints/web',
    'palisade describe projects/p/locations/local/endpoints/guard --json',
  ],
  run: async (words, io) => {
    const {options: flags, positionals} = parseOptions(words, options, {max: 1});
    const [word] = positionals;
    if (word !== undefined && KUBE_WORD.test(word))
      return withKubeClient(flags, io, async client => {
        const description = await describeKube(client, parseTarget(word, flags.namespace));
        io.stdout.write(flags.json ? `${JSON.stringify(description)}\n` : kubeText(description));
        return EXIT.ok;
      });
    return withIdsClient(flags, io, async client => {
      if (word !== undefined) {
        const name = await resolveEndpoint(client, word, word);
        const [endpoint, health] = await Promise.all([client.getEndpoint(name), client.getHealth(name)]);
        io.stdout.write(flags.json ? `${JSON.stringify({endpoint, health})}\n` : text(endpoint, health));
        return EXIT.ok;
      }
      let rows = 0;
      const head = `${'STATE'.padEnd(10)}${'SEVERITY'.padEnd(15)}${'IP'.padEnd(17)}NAME\n`;
      for await (const e of allEndpoints(client)) {
        if (rows++ === 0 && !flags.json) io.stdout.write(head);
        const name = parseEndpointName(e.name ?? '') === undefined ? '-' : e.name;
        io.stdout.write(
          flags.json
            ? `${JSON.stringify(e)}\n`
            : `${(e.state ?? '-').padEnd(10)}${(e.severity ?? '-').padEnd(15)}${(e.endpointIp ?? '-').padEnd(17)}${name}\n`,
        );
      }
      if (rows === 0) io.stderr.write('palisade: no IDS endpoints\n');
      return EXIT.ok;
    });
  },
};
