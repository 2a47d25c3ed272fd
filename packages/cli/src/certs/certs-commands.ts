// SPDX-License-Identifier: Apache-2.0
/** `palisade certs …` and `palisade kubeconfig`: names, flags, help. What runs them is loaded when it is asked for. */
import {type Command, folderCommand} from '../command-line/command.ts';
import {issueFlags, kubeconfigFlags, revokeFlags, rotateFlags, showFlags} from './certs-flags.ts';

const NOTICED = 'A running server takes the change within seconds, without a restart.';

export const certsCommands: readonly Command[] = [
  folderCommand({
    name: 'certs',
    group: 'server',
    summary: 'show, issue, rotate and revoke the certificates of a server',
    examples: ['palisade certs show', 'palisade certs issue --for jane --group soc --ttl 8h'],
  }),
  {
    name: 'certs show',
    group: 'server',
    summary: 'show the certificates of a server, and what is revoked',
    usage: '[--data DIR] [--json]',
    notes: ['Certificates of --tls-cert and --client-ca-file are files of yours and are not shown.'],
    options: showFlags,
    examples: ['palisade certs show', 'palisade certs show --data ./data --json'],
    run: async (words, io) => (await import('./show-certs.ts')).runShow(words, io),
  },
  {
    name: 'certs issue',
    group: 'server',
    summary: 'issue a client certificate for a user',
    usage: '--for USER [--group GROUP]… [--ttl DURATION] [--out DIR|-] [--data DIR]',
    notes: [
      'The user needs rights as any other: bind a role to the user or a group. The key is written with mode 0600.',
      'Revoke the certificate with palisade certs revoke and its file or serial number, or all with --user.',
    ],
    options: issueFlags,
    examples: [
      'palisade certs issue --for jane --group soc --ttl 8h',
      'palisade certs issue --for ci --ttl 365d --out ./ci',
      'palisade certs issue --for jane --out -',
    ],
    run: async (words, io) => (await import('./change-certs.ts')).runIssue(words, io),
  },
  {
    name: 'certs rotate',
    group: 'server',
    summary: 'replace the server and administrator certificates, or the CA',
    usage: '[--ca [--overlap DURATION]] [--data DIR] [--json]',
    notes: [
      NOTICED,
      'The previous administrator certificate stays valid until its end unless it is revoked: revoke it with the printed serial number.',
      'With --ca clients of the previous CA continue to work during the overlap: issue their certificates again, and give them the new',
      'pki/ca.crt, before it ends.',
    ],
    options: rotateFlags,
    examples: [
      'palisade certs rotate',
      'palisade certs rotate --ca --overlap 14d',
      'palisade certs rotate --ca --overlap 0s',
    ],
    run: async (words, io) => (await import('./change-certs.ts')).runRotate(words, io),
  },
  {
    name: 'certs revoke',
    group: 'server',
    words: ['file'],
    summary: 'revoke client certificates',
    usage: '(SERIAL | FILE | --user USER) [--data DIR] [--json]',
    notes: [
      NOTICED,
      'FILE is a certificate or a kubeconfig. --user finds what pki/issued.jsonl names, which palisade certs show prints.',
      'The list is pki/client.crl in the data folder. A revoked certificate cannot be restored: issue another one.',
    ],
    options: revokeFlags,
    examples: [
      'palisade certs revoke jane.crt',
      'palisade certs revoke jane.kubeconfig',
      'palisade certs revoke --user jane',
      'palisade certs revoke 7B854E1C7EDF9AA43EF852C30CA1E329',
    ],
    run: async (words, io) => (await import('./change-certs.ts')).runRevoke(words, io),
  },
  {
    name: 'kubeconfig',
    group: 'server',
    summary: 'write a kubeconfig for a user, with a certificate or a token',
    usage: '--for USER [--group GROUP]… [--ttl DURATION] [--token FILE|-] [--server URL] [--out FILE]',
    notes: [
      'Run it where the data folder of the server is. The file works for kubectl, the SDKs and palisade, for both APIs.',
      'The user needs rights as any other: bind a role to the user or a group.',
    ],
    options: kubeconfigFlags,
    examples: [
      'palisade kubeconfig --for jane --group soc --ttl 8h --out jane.kubeconfig',
      'palisade kubeconfig --for ci --token ci.token --server https://palisade.example:6443 --out ci.kubeconfig',
    ],
    run: async (words, io) => (await import('./write-kubeconfig.ts')).runKubeconfig(words, io),
  },
];
