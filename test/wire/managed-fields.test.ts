// SPDX-License-Identifier: Apache-2.0
/** managedFields that a client writes itself. */
import {expect, test} from 'vitest';
import {forEachKind} from './kinds/index.ts';
import {type Answer, type Body, freshName} from './support.ts';

const entries = (answer: Answer): Body[] => answer.body.metadata.managedFields ?? [];

forEachKind(
  'entries of core kinds',
  (objects, compat) => {
    test('E-257 an entry that says core/v1 is one of v1; upstream, whose group core nobody serves, drops it', async () => {
      const {name} = (await objects.create({}, 1)).metadata;
      const entry = {
        manager: 'm',
        operation: 'Apply',
        apiVersion: 'core/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: objects.fixture.owned,
      };
      const put = await objects.put(name, 1, {managedFields: [entry]});
      const versions = entries(put).flatMap(({manager, apiVersion}) => (manager === 'm' ? [apiVersion] : []));
      expect(versions).toEqual(compat === 'spec' ? ['v1'] : []);
    });
  },
  {about: ({definition}) => definition.group === ''},
);

forEachKind('entries that make no sense', (objects, compat) => {
  const good = {
    manager: 'm',
    operation: 'Update',
    apiVersion: objects.apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1: objects.fixture.owned,
  };
  const CASES = [
    {id: 'E-211', what: 'another fieldsType', entry: {...good, fieldsType: 'FieldsV2'}, field: 'fieldsType'},
    {id: 'E-220', what: 'an unknown operation', entry: {...good, operation: 'Replace'}, field: 'operation'},
    {id: 'E-220', what: 'no apiVersion', entry: {...good, apiVersion: ''}, field: 'apiVersion'},
    {id: 'E-212', what: 'fields in no known form', entry: {...good, fieldsV1: {'k:[': {}}}, field: 'fieldsV1'},
  ];

  if (compat === 'spec')
    test.each(CASES)('$id $what is refused by every write', async ({entry, field}) => {
      const created = await objects.create({}, 1);
      const {name} = created.metadata;
      const managedFields = [entry];
      const answers = [
        await objects.post(freshName(), 1, {managedFields}),
        await objects.put(name, 1, {managedFields}),
        await objects.merge(name, {managedFields}, {fieldManager: 'm'}),
      ];
      for (const {status, body} of answers)
        expect([status, body.details.causes[0].field]).toEqual([422, `metadata.managedFields[0].${field}`]);
      expect((await objects.get(name)).body).toEqual(created);
    });
  else
    test.each(CASES)('$id $what is passed over, the stored entries stay', async ({entry}) => {
      const created = await objects.create({}, 1);
      const put = await objects.put(created.metadata.name, 1, {managedFields: [entry]});
      expect([put.status, entries(put)]).toEqual([200, created.metadata.managedFields]);
    });
});
