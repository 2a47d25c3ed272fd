// SPDX-License-Identifier: Apache-2.0
/** A sample of flows, with a real Suricata: its event file is the witness of what there was, also over a kill of the server. */
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {udpDatagram} from '@palisade/sensor/testing';
import {describe, expect, test} from 'vitest';
import {Lab, LabFolder, newSpec, skipReason, whyNot} from './lab/lab.ts';
import {SEVERITY_RULES} from './lab/rules.ts';

const LIMIT_MS = 20_000;
const FLOWS = 1200;
const ONE_OF = 4;

/** The flow ids of the event file, one each. */
const flowsIn = (folder: LabFolder): string[] => {
  const [name = ''] = readdirSync(join(folder.path, 'data', 'endpoints'));
  return readFileSync(join(folder.path, 'data', 'endpoints', name, 'eve.json'), 'utf8')
    .split('\n')
    .filter(line => line.includes('"event_type":"flow"'))
    .map(line => String(JSON.parse(line).flow_id));
};

const flows = (): Buffer[] =>
  Array.from({length: FLOWS}, (_, i) =>
    udpDatagram(
      {client: `10.1.${i >> 8}.${i & 255}`, clientPort: 1024 + i, server: '10.9.0.1', serverPort: 9},
      'client',
      Buffer.from('x'),
    ),
  );

describe.skipIf(whyNot !== undefined)(`44-6 the sample of the flows of an endpoint${skipReason}`, () => {
  test.each([undefined, {when: 'before', commit: 2}, {when: 'after', commit: 2}] as const)(
    '44-6 each flow that Suricata wrote is recorded once or counted once (crash: %j)',
    async crash => {
      using folder = new LabFolder();
      const rules = [folder.file('a.rules', SEVERITY_RULES)];
      const spec = newSpec({trafficLogs: true});
      await using first = new Lab();
      await first.ask('create', folder.options({rules, trafficSample: ONE_OF, crash}));
      await first.ask('start', spec);
      await first.send(spec, flows(), 3000);
      await first.ask('until', {received: FLOWS, endpoint: spec.endpoint}, LIMIT_MS);
      const died = await first.ask('close').then(
        () => false, // flows end with Suricata
        () => true,
      );
      expect(died).toBe(crash !== undefined);
      await first.leave();
      if (crash !== undefined) {
        await using second = new Lab();
        await second.ask('create', folder.options({rules, trafficSample: ONE_OF}));
        await second.ask('start', spec);
        const {trafficSampling} = await second.health(spec);
        expect(trafficSampling).toMatchObject({oneOf: ONE_OF});
        expect(trafficSampling?.flowsLeftOut).toBeGreaterThan(0);
        await second.ask('close');
      }
      const {traffic, states} = folder.records();
      const written = flowsIn(folder);
      expect(written.length).toBeGreaterThan(FLOWS / 2);
      const recorded = traffic.map(([, record]) => record.session_id);
      expect(recorded.filter(id => !written.includes(id))).toEqual([]);
      expect(recorded.length).toBe(new Set(recorded).size);
      expect(recorded.length + (states[0]?.[1].flows?.sampledOut ?? 0)).toBe(written.length);
      const share = recorded.length / written.length;
      expect(Math.abs(share - 1 / ONE_OF)).toBeLessThan(5 * Math.sqrt((0.25 * 0.75) / written.length));
      expect(new Set(traffic.map(([, record]) => record.sample_rate))).toEqual(new Set([String(ONE_OF)]));
    },
  );
});
