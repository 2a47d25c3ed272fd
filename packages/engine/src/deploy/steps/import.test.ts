// SPDX-License-Identifier: Apache-2.0
import {secretOf} from '@palisade/provider';
import {expect, test} from 'vitest';
import {FakeCloud, ManualStack} from '../../testing/index.ts';

test.each(['hush', 'hush hush'])(
  'E-274 what the program says is secret is sealed from the import on: %s',
  async wanted => {
    const cloud = new FakeCloud();
    cloud.objects.set('id-9', {id: 'id-9', inputs: {name: 'n', value: 'hush'}, version: 1});
    const stack = new ManualStack(cloud);
    await stack.deploy(async register => {
      await register({name: 'a', importId: 'id-9', inputs: {name: 'n', value: secretOf(wanted)}});
    });
    expect(stack.written.filter(text => text.includes('hush'))).toEqual([]);
    const imported = (await stack.state()).resources.find(({id}) => id === 'id-9');
    expect(imported).toMatchObject({inputs: {value: secretOf(wanted)}, outputs: {value: secretOf(wanted)}});
  },
);
