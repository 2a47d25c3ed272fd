// SPDX-License-Identifier: Apache-2.0
/** Small rules for tests, and the packets that raise them. */

import type {Severity} from '@palisade/ids-wire';
import {type Pair, udpDatagram} from '@palisade/sensor/testing';

const PORT = 7777;
const word = (name: string): string => `palisade-${name}`;
const rule = (sid: number, name: string, rest: string): string =>
  `alert udp any any -> any ${PORT} (msg:"TEST ${name}"; content:"${word(name)}"; ${rest} sid:${sid}; rev:1;)\n`;

/** One rule of each severity, by each way a rule can say it. Sid → severity. */
export const SEVERITY_OF: Readonly<Record<string, Severity>> = {
  '1:1': 'CRITICAL',
  '1:2': 'HIGH',
  '1:3': 'MEDIUM',
  '1:4': 'LOW',
  '1:5': 'INFORMATIONAL',
  '1:6': 'HIGH',
  '1:7': 'INFORMATIONAL',
  '2:1': 'LOW',
};

export const SEVERITY_RULES = [
  rule(1, 'one', 'metadata:signature_severity Critical; classtype:misc-activity;'),
  rule(2, 'two', 'metadata:signature_severity Major; classtype:misc-activity;'),
  rule(3, 'three', 'classtype:attempted-recon;'),
  rule(4, 'four', 'metadata:signature_severity Minor; classtype:attempted-admin;'),
  rule(5, 'five', 'metadata:signature_severity Informational; priority:1;'),
  rule(6, 'six', 'classtype:attempted-admin; reference:cve,2014-6271; reference:url,example.org/six;'),
  rule(7, 'seven', 'priority:10;'),
  rule(1, 'eight', 'gid:2;'),
].join('');

const NAMES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

/** A packet that raises the rule with this word; from a port of its own, so that it is a flow of its own. */
export const hit = (name: string, pair: Pair = {client: '10.9.0.1', server: '10.9.0.2'}, clientPort = 5000): Buffer =>
  udpDatagram({...pair, clientPort, serverPort: PORT}, 'client', Buffer.from(word(name)));

/** One packet for each rule of SEVERITY_RULES. */
export const oneOfEach = (pair?: Pair): Buffer[] => NAMES.map(name => hit(name, pair));

/** `count` alerts of rule 1, each of another source, so that each is a record of its own. */
export const distinctHits = (count: number, net = 20): Buffer[] =>
  Array.from({length: count}, (_, i) =>
    hit('one', {client: `10.${net}.${Math.floor(i / 250)}.${(i % 250) + 1}`, server: '10.9.0.2'}),
  );
