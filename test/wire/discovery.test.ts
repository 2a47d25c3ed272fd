// SPDX-License-Identifier: Apache-2.0
/** Where clients look for a kind: discovery and OpenAPI (E-270). */
import {expect, test} from 'vitest';
import {forEachKind} from './kinds/index.ts';
import type {Body} from './support.ts';

forEachKind('discovery', objects => {
  const {group, version, kind, resource, singular, shortNames, namespaced, verbs, subresources, typeName} =
    objects.fixture.definition;
  const get = async (path: string): Promise<Body> => (await objects.wire.send('GET', path)).body;

  test('E-270 the resource is listed with its names and verbs, and each subresource', async () => {
    const {resources} = await get(objects.root);
    expect(resources.find(({name}: Body) => name === resource)).toMatchObject({
      kind,
      singularName: singular,
      namespaced,
      verbs: [...verbs].sort(),
      ...(shortNames === undefined ? {} : {shortNames}),
    });
    for (const {name} of subresources ?? [])
      expect(resources.map((one: Body) => one.name)).toContain(`${resource}/${name}`);
  });

  test('E-270 the group and its version are listed', async () => {
    expect((await get('/api')).versions).toEqual(['v1']);
    const {kind: listKind, groups} = await get('/apis');
    expect(listKind).toBe('APIGroupList');
    if (group !== '')
      expect(groups.find(({name}: Body) => name === group)).toMatchObject({
        versions: expect.arrayContaining([{groupVersion: `${group}/${version}`, version}]),
      });
  });

  test('E-270 OpenAPI v2 and v3 have the paths and the types', async () => {
    const v3Path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
    expect(JSON.parse((await objects.wire.send('GET', '/openapi/v3')).text).paths).toHaveProperty([v3Path]);
    const [v2, v3] = [await get('/openapi/v2'), await get(`/openapi/v3/${v3Path}`)];
    const item = `${objects.root}/${namespaced ? 'namespaces/{namespace}/' : ''}${resource}/{name}`;
    const paths = [item, ...(subresources ?? []).map(({name}) => `${item}/${name}`)];
    for (const document of [v2, v3]) expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(paths));
    expect([v2.definitions[typeName].type, v3.components.schemas[typeName].type]).toEqual(['object', 'object']);
    expect(v3.components.schemas[typeName]['x-kubernetes-group-version-kind']).toEqual([{group, kind, version}]);
  });

  test('E-270 OpenAPI v2 and v3 are there as protobuf', async () => {
    const v3Path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
    for (const [path, name] of [
      ['/openapi/v2', 'v2'],
      [`/openapi/v3/${v3Path}`, 'v3'],
    ] as const) {
      const accept = `application/com.github.proto-openapi.spec.${name}@v1.0+protobuf`;
      const answer = await objects.wire.send('GET', path, {headers: {accept}});
      expect([answer.status, answer.headers['content-type']]).toEqual([200, accept.replace('@', '.')]);
      expect(answer.text).toContain(`\x0a${String.fromCharCode(typeName.length)}${typeName}\x12`);
    }
  });

  test.each(objects.fixture.lists)('E-270 OpenAPI says that $path is a list of type $listType', async list => {
    const {definitions} = await get('/openapi/v2');
    const refOf = (schema: Body): string => schema.$ref?.replace('#/definitions/', '');
    const owner = list.path.slice(0, -1).reduce((name, step) => refOf(definitions[name].properties[step]), typeName);
    const schema = definitions[owner].properties[list.path.at(-1) ?? ''];
    expect(schema).toMatchObject({type: 'array', 'x-kubernetes-list-type': list.listType});
    expect(schema['x-kubernetes-patch-strategy']).toBe(list.strategic === 'replace' ? undefined : 'merge');
    if (typeof list.strategic === 'object')
      expect(schema['x-kubernetes-patch-merge-key']).toBe(list.strategic.mergeKey);
  });
});
