// SPDX-License-Identifier: Apache-2.0
/** Exceptions with the real sensor: what a try says is what they hide once they are set. */
import {describe, expect, test} from 'vitest';
import type {Json} from '../ids/rest-client.ts';
import {skipReason, whyNot} from '../sensor/lab/lab.ts';
import {oneOfEach, SEVERITY_RULES} from '../sensor/lab/rules.ts';
import {ServerLab} from './lab/server-lab.ts';

const PARENT = 'projects/p/locations/local';
const EVENT_MS = 30_000;
const ROUNDS = 12;

/** The same traffic each time: some of it in records of several alerts, some from clients of its own. */
const traffic = (): Buffer[] =>
  Array.from({length: ROUNDS}, (_, round) =>
    oneOfEach({client: `10.9.0.${round < 6 ? 1 : round}`, server: '10.9.0.200'}),
  ).flat();

const alertsStored = async (lab: ServerLab, name: string): Promise<number> => {
  const {threats = []} = (await lab.rest.get(`${name}/threats`, {pageSize: '1000'})).body;
  return threats.reduce((sum: number, threat: Json) => sum + Number(threat.repeat_count), 0);
};

describe.skipIf(whyNot !== undefined)(`exceptions with real sensors${skipReason}`, () => {
  test('43-6 try says N of the stored alerts; with the exceptions set, the same traffic stores N fewer', async () => {
    await using lab = await ServerLab.open({rules: SEVERITY_RULES});
    const endpoint = await lab.rest.created(PARENT, 'e1', {severity: 'INFORMATIONAL'});
    const name: string = endpoint.name;
    const to = {ip: endpoint.endpointIp, vni: (await lab.health(name)).vni};
    const first = await lab.send(to, traffic());
    await expect.poll(() => alertsStored(lab, name), {timeout: EVENT_MS}).toBe(first);

    const threatExceptions = ['1:2', '6', '1:4242'];
    const tried = (await lab.rest.post(`${name}:tryExceptions`, {}, {threatExceptions})).body;
    expect(tried).toMatchObject({
      alerts: first,
      hidden: 2 * ROUNDS,
      exceptions: [
        {exception: '1:2', name: 'TEST two', hidden: ROUNDS},
        {exception: '6', name: 'TEST six', hidden: ROUNDS},
        {exception: '1:4242', hidden: 0, warning: 'matches no signature of the active rule set'},
      ],
      remaining: {CRITICAL: ROUNDS, MEDIUM: ROUNDS, LOW: 2 * ROUNDS, INFORMATIONAL: 2 * ROUNDS},
      hiddenBefore: 0,
      rulesKnown: true,
    });

    const patched = await lab.rest.patch(name, {updateMask: 'threatExceptions'}, {threatExceptions});
    const words =
      'threatExceptions: "1:4242" matches no signature of the active rule set and hides nothing; correct or remove it';
    expect(patched.headers.get('warning')).toBe(`299 - "${words.replaceAll('"', '\\"')}"`);
    expect((await lab.rest.done(patched.body)).metadata.statusMessage).toBe(`warning: ${words}`);
    expect(await lab.health(name)).toMatchObject({status: 'READY', reasons: [words], unknownExceptions: ['1:4242']});

    const second = await lab.send(to, traffic());
    await expect.poll(async () => (await lab.health(name)).alerts.seen, {timeout: EVENT_MS}).toBe(first + second);
    await expect.poll(() => alertsStored(lab, name), {timeout: EVENT_MS}).toBe(first + second - tried.hidden);
    expect((await lab.health(name)).alerts).toMatchObject({excepted: tried.hidden, lost: 0});
    const after = (await lab.rest.post(`${name}:tryExceptions`, {}, {threatExceptions: ['1:1']})).body;
    expect(after).toMatchObject({alerts: first + second - tried.hidden, hiddenBefore: tried.hidden});
  });
});
