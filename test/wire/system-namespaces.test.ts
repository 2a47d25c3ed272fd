// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {ManualTime} from './manual-time.ts';
import {startWire} from './support.ts';

const PATH = '/api/v1/namespaces/kube-node-lease';

test('E-151 a system namespace that was deleted comes back after a minute, as another one', async () => {
  const time = new ManualTime(Date.UTC(2026, 0, 1));
  await using wire = await startWire({compat: 'spec', clock: time, timers: time});
  const {uid, labels, managedFields} = (await wire.send('GET', PATH)).body.metadata;
  const watch = await wire.watch('/api/v1/namespaces', {fieldSelector: 'metadata.name=kube-node-lease'});
  const next = async (type: string) => {
    for (let event = await watch.next(); event !== undefined; event = await watch.next())
      if (event.type === type) return event.object;
  };
  for (const round of ['first', 'second']) {
    expect([round, (await wire.send('DELETE', PATH)).status]).toEqual([round, 200]);
    await next('DELETED');
    time.advance(59_999);
    expect([round, (await wire.send('GET', PATH)).status]).toEqual([round, 404]);
    time.advance(1);
    const again = await next('ADDED');
    expect(again.metadata.uid).not.toBe(uid);
    expect(again.metadata.labels).toEqual(labels);
    expect(again.metadata.managedFields[0].manager).toBe(managedFields[0].manager);
  }
});
