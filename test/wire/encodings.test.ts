// SPDX-License-Identifier: Apache-2.0
/** Objects and lists in every encoding, by the schema of each kind (E-272). */
import {request} from 'node:http';
import {gunzipSync} from 'node:zlib';
import {decodeProtobuf, encodeProtobuf, openEnvelope} from '@palisade/kube-wire';
import {expect, test} from 'vitest';
import {forEachKind} from './kinds/index.ts';
import {type Body, freshName} from './support.ts';

const YAML = 'application/yaml';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const PROTOBUF_EVENTS = `${PROTOBUF};stream=watch`;
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

forEachKind('encodings', objects => {
  const {definition, texts, table} = objects.fixture;
  const {kind, listKind, types, typeName} = definition;

  /** The bytes of an answer. */
  const bytesOf = async (path: string, accept: string): Promise<{type: string | null; bytes: Buffer}> => {
    const response = await fetch(objects.wire.url + path, {headers: {accept}});
    return {type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer())};
  };

  test('E-272 JSON has the key order of the schema and one final newline', async () => {
    const name = freshName();
    const {text} = await objects.wire.send('POST', objects.path, {
      body: {...texts.sentJson, metadata: {labels: {z: '1', a: 'x'}, name}, kind, apiVersion: objects.apiVersion},
    });
    const head = `{"kind":"${kind}","apiVersion":"${objects.apiVersion}","metadata":{"name":"${name}",`;
    expect(text.startsWith(head)).toBe(true);
    expect(text.endsWith(`},${texts.json}}\n`), text).toBe(true);
    const metadata = text.slice(head.length, text.length - texts.json.length - 4);
    const labels = `"labels":${JSON.stringify({a: 'x', ...objects.fixture.given?.labels, z: '1'})},`;
    expect(metadata).toContain(labels);
    expect(metadata.replace(labels, '')).toMatch(
      /^("namespace":"one",)?"uid":"[^"]+","resourceVersion":"\d+",("generation":1,)?"creationTimestamp":"[^"]+","managedFields":\[.*\]$/,
    );
  });

  test('E-272 pretty JSON is indented and has no final newline', async () => {
    const {name} = (await objects.create({annotations: {html: '<&>'}})).metadata;
    for (const sent of [
      {query: {pretty: 'true'}},
      {headers: {accept: 'application/json;pretty=1'}},
      {headers: {'user-agent': 'curl/8.0'}},
    ]) {
      const {text} = await objects.get(name, sent as object);
      expect(text.startsWith(`{\n  "kind": "${kind}",\n  "apiVersion": "${objects.apiVersion}",\n`)).toBe(true);
      expect(text.endsWith('\n}')).toBe(true);
      expect(text).toContain('"html": "\\u003c\\u0026\\u003e"');
    }
    const plain = await objects.get(name, {query: {pretty: '0'}, headers: {'user-agent': 'curl/8.0'}});
    expect(plain.text).not.toContain('\n  ');
  });

  test('E-272 YAML in and out', async () => {
    const answer = await objects.wire.send('POST', objects.path, {
      body: `metadata:\n  name: ${freshName()}\n  labels: {a: "1"}\n${texts.sentYaml}`,
      headers: {'content-type': YAML, accept: YAML},
    });
    expect([answer.status, answer.headers['content-type']]).toEqual([201, YAML]);
    for (const piece of texts.yaml) expect(answer.text).toContain(piece);
    expect(answer.text).toContain(`kind: ${kind}\n`);
  });

  test('E-272 protobuf in and out', async () => {
    const name = freshName();
    const created = await objects.wire.send('POST', objects.path, {
      body: encodeProtobuf(types, typeName, objects.body(name, 1)),
      headers: {'content-type': PROTOBUF},
    });
    expect([created.status, created.body]).toEqual([201, expect.objectContaining(objects.fixture.content(1))]);
    const {type, bytes} = await bytesOf(objects.at(name), PROTOBUF);
    expect([type, bytes.subarray(0, 4).toString()]).toEqual([PROTOBUF, 'k8s\0']);
    expect(decodeProtobuf(types, typeName, openEnvelope(bytes))).toEqual(created.body);
    const stale = await objects.put(name, 2);
    const put = (body: Buffer) =>
      objects.wire.send('PUT', objects.at(name), {body, headers: {'content-type': PROTOBUF}});
    expect((await put(bytes)).status).toBe(409);
    expect((await put((await bytesOf(objects.at(name), PROTOBUF)).bytes)).body).toEqual(stale.body);
  });

  test.each([
    {path: '/api', kind: 'APIVersions', apiVersion: ''},
    {path: '/api/v1', kind: 'APIResourceList', apiVersion: ''},
    {path: '/apis', kind: 'APIGroupList', apiVersion: 'v1'},
  ])(
    'E-270 E-272 the envelope of $path in protobuf has the version that upstream gives it',
    async ({path, ...head}) => {
      expect(openEnvelope((await bytesOf(path, PROTOBUF)).bytes)).toMatchObject(head);
    },
  );

  test('E-272 a list in protobuf holds the same objects', async () => {
    const run = freshName();
    const made = [await objects.create({labels: {run}}, 1), await objects.create({labels: {run}}, 2)];
    const {bytes} = await bytesOf(`${objects.path}?labelSelector=run%3D${run}`, PROTOBUF);
    const envelope = openEnvelope(bytes);
    expect(envelope).toMatchObject({kind: listKind, apiVersion: objects.apiVersion});
    const {items} = decodeProtobuf(types, `${typeName}List`, envelope) as Body;
    expect(items).toEqual(made.map(({kind: _kind, apiVersion: _version, ...rest}) => rest));
  });

  test('E-272 v1beta1 numbers the fields of a PartialObjectMetadataList the other way round', async () => {
    const {metadata} = await objects.create({});
    const query = `fieldSelector=metadata.name%3D${metadata.name}`;
    const list = async (version: string) => {
      const form = `;as=PartialObjectMetadataList;v=${version};g=meta.k8s.io`;
      return openEnvelope((await bytesOf(`${objects.path}?${query}`, PROTOBUF + form)).bytes);
    };
    const [newer, older] = [await list('v1'), await list('v1beta1')];
    expect(older.apiVersion).toBe('meta.k8s.io/v1beta1');
    const metaLength = (newer.raw[1] ?? 0) + 2; // field 1, the metadata of the list, is short
    const [meta, items] = [newer.raw.subarray(0, metaLength), newer.raw.subarray(metaLength)];
    expect([meta[0], items[0]]).toEqual([0x0a, 0x12]);
    const swapped = [Buffer.from([0x0a]), items.subarray(1), Buffer.from([0x12]), meta.subarray(1)];
    expect(older.raw.toString('hex')).toBe(Buffer.concat(swapped).toString('hex'));
  });

  test('E-272 a protobuf watch sends framed events', async () => {
    const {name} = (await objects.create({}, 1)).metadata;
    const left = new AbortController();
    const response = await fetch(`${objects.wire.url}${objects.path}?watch=1&fieldSelector=metadata.name%3D${name}`, {
      headers: {accept: PROTOBUF_EVENTS},
      signal: left.signal,
    });
    expect(response.headers.get('content-type')).toBe(PROTOBUF_EVENTS);
    let frame = Buffer.alloc(0);
    for await (const chunk of response.body ?? []) {
      frame = Buffer.concat([frame, chunk]);
      if (frame.length >= 4 && frame.length >= frame.readUInt32BE(0) + 4) break;
    }
    left.abort();
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
    expect(frame.toString('latin1', 4, 11)).toBe('\n\u0005ADDED');
    expect(openEnvelope(frame.subarray(frame.indexOf('k8s\0')))).toMatchObject({kind});
  });

  test('E-272 a Table has rows for people', async () => {
    const {name} = (await objects.create({}, 1)).metadata;
    const one = await objects.get(name, {headers: {accept: TABLE}});
    const {body: list} = await objects.wire.send('GET', objects.path, {
      headers: {accept: TABLE},
      query: {fieldSelector: `metadata.name=${name}`},
    });
    for (const body of [one.body, list]) {
      expect([body.kind, body.apiVersion, body.columnDefinitions.map((column: Body) => column.name)]).toEqual([
        'Table',
        'meta.k8s.io/v1',
        ['Name', ...table.columns, 'Age', ...(table.wide?.columns ?? [])],
      ]);
      expect(body.rows).toHaveLength(1);
      const age = expect.stringMatching(/^\d+s$/);
      expect(body.rows[0].cells).toEqual([name, ...table.cells(1), age, ...(table.wide?.cells(1) ?? [])]);
      expect(body.rows[0].object).toMatchObject({kind: 'PartialObjectMetadata', metadata: {name}});
    }
  });

  test('E-272 PartialObjectMetadata has the metadata and nothing else', async () => {
    const {metadata} = await objects.create({}, 1);
    const apiVersion = 'meta.k8s.io/v1';
    expect((await objects.get(metadata.name, {headers: {accept: METADATA}})).body).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion,
      metadata,
    });
    const list = await objects.wire.send('GET', objects.path, {
      headers: {accept: METADATA_LIST},
      query: {fieldSelector: `metadata.name=${metadata.name}`},
    });
    expect(list.body).toMatchObject({kind: 'PartialObjectMetadataList', apiVersion, items: [{metadata}]});
    expect(Object.keys(list.body.items[0])).not.toContain(Object.keys(objects.fixture.content(1))[0]);
  });

  test('E-272 large answers are compressed for those who take it', async () => {
    const made = await objects.create({annotations: {fill: 'x'.repeat(150_000)}}, 1);
    const raw = await new Promise<{encoding: string | undefined; vary: string | undefined; bytes: Buffer}>(resolve => {
      const headers = {'accept-encoding': 'gzip'};
      request(objects.wire.url + objects.at(made.metadata.name), {headers}, async response => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const {vary, 'content-encoding': encoding} = response.headers;
        resolve({encoding, vary, bytes: Buffer.concat(chunks)});
      }).end();
    });
    expect([raw.encoding, raw.vary]).toEqual(['gzip', 'Accept-Encoding']);
    expect(JSON.parse(gunzipSync(raw.bytes).toString())).toEqual(made);
    expect((await objects.get(made.metadata.name)).headers['content-encoding']).toBeUndefined();
  });
});
