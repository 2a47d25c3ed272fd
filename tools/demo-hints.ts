// SPDX-License-Identifier: Apache-2.0
/** What `make demo` ends with: commands that work as they are when pasted at the root of the repository. */
import type {DemoServer} from './demo-server.ts';

export const DEMO_STACK = 'demo';
/** Folder of all that the demo makes, from the root. */
export const DEMO_FOLDER = 'build/demo';

/** Where the engine keeps the demo's stack. `root`: as text of the URL, so `$PWD` too. */
export const demoState = (
  root: string,
): {readonly PULUMI_BACKEND_URL: string; readonly PULUMI_CONFIG_PASSPHRASE: string} => ({
  PULUMI_BACKEND_URL: `file://${root}/${DEMO_FOLDER}/state`,
  PULUMI_CONFIG_PASSPHRASE: 'demo',
});

/** Address of a server that the user starts. */
const OWN = '127.0.0.1:8080';

/** From the root; by its name alone it would be somebody else's package elsewhere. */
const PALISADE = 'node_modules/.bin/palisade';

type Hint = readonly [label: string, ...lines: string[]];

/** `kept`: the server that stays up; undefined: it has ended, and the program runs with the next demo. */
export function demoHints(kept: DemoServer | undefined): string[] {
  const http = kept?.http ?? `http://${OWN}`;
  const kubectl = kept === undefined ? `--server ${http}` : `--kubeconfig ${kept.kubeconfig}`;
  const hints: Hint[] = [
    ...(kept === undefined ? [] : [['stop the server', `kill ${kept.pid}`] as const]),
    ...(kept === undefined ? [['console', `http://${OWN}/console/`] as const] : []),
    ['kubectl', `kubectl ${kubectl} get endpoints -w`],
    [
      'gcloud',
      `CLOUDSDK_AUTH_DISABLE_CREDENTIALS=true CLOUDSDK_API_ENDPOINT_OVERRIDES_IDS=${http}/ \\`,
      'gcloud ids endpoints list --project shop',
    ],
    ['threat logs', `PALISADE_SERVER=${http} ${PALISADE} threats --follow`],
    ['one threat', `PALISADE_SERVER=${http} ${PALISADE} threats show ID --pcap alert.pcap`, '(IDs: threats --json)'],
    ['your program', ...(kept === undefined ? ['change examples/shop/index.ts, then: make demo'] : upAgain(kept))],
  ];
  // Last, after an empty line: what most users open first.
  const last = kept?.console === undefined ? [] : ['', `Open the console in a browser: ${kept.console}`];
  return [...(kept === undefined ? START : []), ...hints.flatMap(linesOf), ...last];
}

const linesOf = ([label, first = '', ...more]: Hint): string[] => [
  `${`${label}:`.padEnd(17)}${first}`,
  ...more.map(line => ' '.repeat(17) + line),
];

const START: readonly string[] = [
  'The server of the demo has stopped, and nothing listens now. Start a server:',
  ...linesOf(['with the demo', 'make demo KEEP=1', '(prints these steps for its server)']),
  ...linesOf(['an empty one', `${PALISADE} serve --auth none --data ./data --http ${OWN}`]),
  '',
  'Then, with the empty one:',
];

/** The stack is the demo's own: neither the user's state nor what is selected there knows it. */
function upAgain({http}: DemoServer): string[] {
  const state = demoState('$PWD');
  return [
    'change examples/shop/index.ts, then:',
    `PALISADE_SERVER=${http} PULUMI_BACKEND_URL="${state.PULUMI_BACKEND_URL}" \\`,
    `PULUMI_CONFIG_PASSPHRASE=${state.PULUMI_CONFIG_PASSPHRASE} ${PALISADE} up --yes --stack ${DEMO_STACK} --cwd examples/shop`,
  ];
}
