// SPDX-License-Identifier: Apache-2.0
/** Lists as the schema of each kind describes them: how appliers share them, and what strategic merge patches do with them. */
import {describe, expect, test} from 'vitest';
import {forEachKind, type ListFixture, METADATA_LISTS} from './kinds/index.ts';
import {type Answer, APPLY, type Body, fields, freshName, STRATEGIC} from './support.ts';

const pathOf = ({path}: ListFixture): string => `.${path.join('.')}`;
const at = (body: Body, path: readonly string[]): Body => path.reduce((value, step) => value?.[step], body);
const managed = (answer: Answer, manager: string, list: ListFixture): Body =>
  at(
    answer.body.metadata.managedFields.find((entry: Body) => entry.manager === manager).fieldsV1,
    list.path.map(step => `f:${step}`),
  );

forEachKind('lists', objects => {
  const lists = [...objects.fixture.lists, ...METADATA_LISTS].map(list => ({
    ...list,
    title: `${list.listType} ${list.path.join('.')}`,
  }));
  const apply = (manager: string, name: string, list: ListFixture, items: readonly (readonly [number, number?])[]) =>
    objects.apply(
      manager,
      objects.holding(
        name,
        list,
        items.map(([key, value]) => (list.sent ?? list.item)(key, value)),
      ),
    );
  const items = (answer: Answer, list: ListFixture): Body[] => at(answer.body, list.path) ?? [];

  describe.each(lists.filter(({listType}) => listType !== 'atomic'))('$title', list => {
    test('E-218 E-219 each applier holds its own items, and takes away only its own', async () => {
      const name = freshName();
      await apply('one', name, list, [[1], [2]]);
      const both = await apply('two', name, list, [[2], [3]]);
      expect(items(both, list)).toEqual([list.item(1), list.item(2), list.item(3)]);
      expect(items(await apply('one', name, list, []), list)).toEqual([list.item(2), list.item(3)]);
    });

    test('E-211 E-212 managedFields name each item', async () => {
      const answer = await apply('one', freshName(), list, [[1], [2]]);
      expect(Object.keys(managed(answer, 'one', list))).toEqual([list.element?.(1), list.element?.(2)]);
    });
  });

  describe.each(lists.filter(({differsAt}) => differsAt !== undefined))('$title', list => {
    test('E-218 a conflict is told item by item; force takes the field over', async () => {
      const name = freshName();
      await apply('one', name, list, [
        [1, 1],
        [2, 1],
      ]);
      const clash = await apply('two', name, list, [
        [1, 2],
        [3, 1],
      ]);
      expect([clash.status, fields(clash)]).toEqual([409, [`${pathOf(list)}${list.differsAt?.(1)}`]]);
      const body = objects.holding(name, list, [list.item(1, 2), list.item(3, 1)]);
      const forced = await objects.apply('two', body, {force: 'true'});
      expect(items(forced, list)).toEqual([list.item(1, 2), list.item(2, 1), list.item(3, 1)]);
      expect(items(await apply('one', name, list, []), list)).toEqual([list.item(1, 2), list.item(3, 1)]);
    });
  });

  describe.each(lists.filter(({listType}) => listType === 'atomic'))('$title', list => {
    test('E-218 E-221 an atomic list is owned as a whole', async () => {
      const name = freshName();
      const first = await apply('one', name, list, [[1]]);
      expect(managed(first, 'one', list)).toEqual({});
      expect((await apply('two', name, list, [[1]])).status).toBe(200);
      expect(fields(await apply('two', name, list, [[1], [2]]))).toEqual([pathOf(list)]);
    });
  });

  describe.each(lists)('$title', list => {
    const patch = async (name: string, keys: readonly number[]) =>
      items(
        await objects.patch(
          name,
          STRATEGIC,
          JSON.stringify(
            objects.holding(
              name,
              list,
              keys.map(key => list.item(key)),
            ),
          ),
        ),
        list,
      );
    const start = async (): Promise<string> => {
      const name = freshName();
      const made = await objects.wire.send('POST', objects.path, {
        body: objects.holding(name, list, [list.item(1), list.item(2)]),
      });
      expect(made.status, made.text).toBe(201);
      return name;
    };

    test(`E-271 a strategic merge patch ${list.strategic === 'replace' ? 'replaces it' : 'adds to it'}`, async () => {
      const kept = list.strategic === 'replace' ? [] : [list.item(1), list.item(2)];
      const patched = await patch(await start(), [3]);
      expect(patched).toHaveLength(kept.length + 1);
      expect(patched).toEqual(expect.arrayContaining([...kept, list.item(3)]));
    });

    if (list.strategic !== 'replace')
      test('E-271 a strategic merge patch takes items out', async () => {
        const {strategic, path} = list;
        const name = await start();
        const above = {...list, path: [...path.slice(0, -1), `$deleteFromPrimitiveList/${path.at(-1)}`]};
        const body =
          typeof strategic === 'object'
            ? objects.holding(name, list, [
                {[strategic.mergeKey]: (list.item(1) as Body)[strategic.mergeKey], $patch: 'delete'},
              ])
            : objects.holding(name, above, [list.item(1)]);
        const patched = await objects.patch(name, STRATEGIC, body);
        expect(patched.status, patched.text).toBe(200);
        expect(items(patched, list)).toEqual([list.item(2)]);
      });
  });

  test('E-271 a patch of a type that nobody knows is 415, an apply without a manager 422', async () => {
    const {name} = (await objects.create()).metadata;
    const answer = await objects.patch(name, 'application/json', {});
    expect([answer.status, answer.body.reason, answer.headers['content-type']]).toEqual([
      415,
      'UnsupportedMediaType',
      'application/json',
    ]);
    const nameless = await objects.patch(name, APPLY, objects.body(name));
    expect([nameless.status, fields(nameless)]).toEqual([422, ['fieldManager']]);
  });
});
