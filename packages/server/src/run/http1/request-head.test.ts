// SPDX-License-Identifier: Apache-2.0
/** Which heads are read here, and to what; everything that readers might understand differently is for node:http. */
import {describe, expect, test, vi} from 'vitest';
import {HEAD_BYTES_MAX, HeadReader, type HeadReading, KnownFields} from './request-head.ts';

const LINE = 'GET /a HTTP/1.1\r\n';
const read = (text: string): HeadReading => new HeadReader().read(Buffer.from(text, 'latin1'));
/** What one field, between two usual ones, makes of a head. */
const withField = (field: string): HeadReading => read(`${LINE}Host: h\r\n${field}\r\nAccept: a/b\r\n\r\n`);
const withLine = (line: string): HeadReading => read(`${line}\r\nHost: h\r\n\r\n`);

describe('a usual head is read', () => {
  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('%s, with what follows it left alone', method => {
    const head = `${method} /api/v1 HTTP/1.1\r\nHost: h:80\r\nContent-Length: 4\r\n\r\n`;
    expect(read(`${head}bodyGET / HTTP/1.1\r\n\r\n`)).toEqual({
      method,
      url: '/api/v1',
      headers: {host: 'h:80', 'content-length': '4'},
      bodyBytes: 4,
      end: head.length,
    });
  });

  test.each(['/', '//a', '/a?b=c&d#e?f', '/%00/../~', `/"<>\\^\`{|}'`, '/?watch=1'])('the target %s', url => {
    expect(withLine(`GET ${url} HTTP/1.1`)).toMatchObject({url, bodyBytes: 0});
  });

  test('bytes beyond ASCII in the target, which become percent-encoded: curl sends such in a query', () => {
    const line = Buffer.from('GET /é?labelSelector=a%3D日 HTTP/1.1').toString('latin1');
    expect(withLine(line)).toMatchObject({url: '/%C3%A9?labelSelector=a%3D%E6%97%A5'});
    expect(withLine('GET /\x80\xff HTTP/1.1')).toMatchObject({url: '/%80%FF'});
  });

  test.each([
    ['a name in capitals', 'ACCEPT-Encoding: gzip', {'accept-encoding': 'gzip'}],
    ['a name of every character that names have', "!#$%&'*+-.^_`|~09azAZ: 1", {"!#$%&'*+-.^_`|~09azaz": '1'}],
    ['a value without blanks around', 'X:y', {x: 'y'}],
    ['a value with blanks around, which are not its own', 'X: \t y z \t', {x: 'y z'}],
    ['a value with a colon and quotes', 'X: "a:b": ~', {x: '"a:b": ~'}],
    ['a name that objects have in another case', 'toString: y', {tostring: 'y'}],
    ['an empty value', 'X:', {x: ''}],
    ['a value of blanks', 'X: \t ', {x: ''}],
    ['Connection: keep-alive in any case', 'Connection: Keep-ALIVE', {connection: 'Keep-ALIVE'}],
    ['Content-Length with zeros before it', 'Content-Length: 007', {'content-length': '007'}],
  ])('with %s', (_what, field, headers) => {
    expect(withField(field)).toMatchObject({headers: {host: 'h', ...headers, accept: 'a/b'}});
  });

  test.each([
    ['0', 0],
    ['007', 7],
    ['999999999999999', 999_999_999_999_999],
  ])('a body of %s bytes', (length, bodyBytes) => {
    expect(withField(`Content-Length: ${length}`)).toMatchObject({bodyBytes});
  });

  test('an empty Host', () => {
    expect(read(`${LINE}Host:\r\n\r\n`)).toMatchObject({headers: {host: ''}});
  });

  test('of 16 KiB; one byte more is unusual, whole or not', () => {
    const fill = (bytes: number): string => {
      const start = `${LINE}Host: h\r\nX: `;
      return start + 'x'.repeat(bytes - start.length);
    };
    expect(read(`${fill(HEAD_BYTES_MAX)}\r\n\r\n`)).toMatchObject({end: HEAD_BYTES_MAX + 4});
    expect(read(`${fill(HEAD_BYTES_MAX + 1)}\r\n\r\n`)).toBe('unusual');
    expect(read(fill(HEAD_BYTES_MAX))).toBe('partial');
    expect(read(fill(HEAD_BYTES_MAX + 1))).toBe('unusual');
  });

  test('of 1000 fields; node:http tells no more of them', () => {
    const fields = (count: number): string => Array.from({length: count}, (_, i) => `x${i}:\r\n`).join('');
    expect(read(`${LINE}Host: h\r\n${fields(999)}\r\n`)).toMatchObject({headers: {x998: ''}});
    expect(read(`${LINE}Host: h\r\n${fields(1000)}\r\n`)).toBe('unusual');
  });
});

describe('a head that comes in pieces', () => {
  const head = 'PATCH /a?b HTTP/1.1\r\nHost: h\r\nX-Y:  z\r\nContent-Length: 12\r\n\r\n';

  test('is partial at every cut', () => {
    for (let cut = 0; cut < head.length; cut++) expect([cut, read(head.slice(0, cut))]).toEqual([cut, 'partial']);
  });

  test('is read byte by byte, or in any two pieces, as it is at once', () => {
    const whole = read(head);
    expect(whole).toMatchObject({bodyBytes: 12});
    const slow = new HeadReader();
    const bytes = Buffer.from(head);
    for (let cut = 0; cut < head.length; cut++) expect(slow.read(bytes.subarray(0, cut))).toBe('partial');
    expect(slow.read(bytes)).toEqual(whole);
    for (let cut = 0; cut < head.length; cut++) {
      expect(slow.read(bytes.subarray(0, cut))).toBe('partial');
      expect(slow.read(Buffer.concat([bytes, bytes]))).toEqual(whole);
    }
  });

  test.each([
    ['another protocol', 'HELO h'],
    ['a method that is left to node:http', 'OPTIONS'],
    ['a method in small letters', 'get'],
    ['a wrong request line', 'GET /a HTTP/1.2\r\n'],
    ['a request line without a target', 'GET HTTP/1.1\r\n'],
    ['a line end before the request line', '\r\n'],
    ['a bare line feed in the request line', 'GET /a HTTP/1.1\n'],
    ['a bare line feed in a field', `${LINE}Host: h\n`],
    ['a bare line feed as first byte of a field', `${LINE}\n`],
    ['a bare carriage return', `${LINE}Host: h\rX`],
    ['two carriage returns', `${LINE}Host: h\r\r`],
    ['NUL', `${LINE}Host: \0`],
  ])('%s is told at its first byte, wherever it is cut', (_what, text) => {
    for (let cut = 0; cut < text.length; cut++) {
      const reader = new HeadReader();
      const before = reader.read(Buffer.from(text.slice(0, cut), 'latin1'));
      expect([cut, before === 'unusual' || reader.read(Buffer.from(text, 'latin1')) === 'unusual']).toEqual([
        cut,
        true,
      ]);
    }
  });
});

describe('a head is unusual with', () => {
  test.each([
    ...['HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'PROPFIND', 'QUERY', 'PRI', 'get', 'Get', 'GETS', 'GE', ''].map(
      method => [`the method "${method}"`, `${method} /a HTTP/1.1`],
    ),
    ['HTTP/1.0', 'GET /a HTTP/1.0'],
    ['HTTP/2.0', 'GET /a HTTP/2.0'],
    ['HTTP/1.10', 'GET /a HTTP/1.10'],
    ['http/1.1', 'GET /a http/1.1'],
    ['no version', 'GET /a'],
    ['no version after a blank', 'GET /a '],
    ['an absolute target', 'GET http://h/a HTTP/1.1'],
    ['an asterisk', 'GET * HTTP/1.1'],
    ['an authority', 'GET h:80 HTTP/1.1'],
    ['a target without a slash', 'GET a HTTP/1.1'],
    ['a query without a path', 'GET ?a HTTP/1.1'],
    ['no target', 'GET HTTP/1.1'],
    ['an empty target', 'GET  HTTP/1.1'],
    ['a blank in the target', 'GET /a b HTTP/1.1'],
    ['a tab in the target', 'GET /a\tb HTTP/1.1'],
    ['two blanks before the target', 'GET  /a HTTP/1.1'],
    ['two blanks before the version', 'GET /a  HTTP/1.1'],
    ['a tab before the target', 'GET\t/a HTTP/1.1'],
    ['a blank at its end', 'GET /a HTTP/1.1 '],
    ['a blank at its start', ' GET /a HTTP/1.1'],
    ['a line end before it', '\r\nGET /a HTTP/1.1'],
    ['a bare line feed after it', 'GET /a HTTP/1.1\nX: y'],
    ['a bare carriage return after it', 'GET /a HTTP/1.1\rX: y'],
    ['a bare line feed in the target', 'GET /a\nb HTTP/1.1'],
  ])('%s', (_what, line) => {
    expect(withLine(line)).toBe('unusual');
  });

  const CODES = [...Array(0x21).keys(), ...Array.from({length: 0x81}, (_, i) => 0x7f + i)];
  /** Those of `codes` with which a head is read. */
  const read = (codes: readonly number[], head: (byte: string) => HeadReading): number[] =>
    codes.filter(code => head(String.fromCharCode(code)) !== 'unusual');

  test('a control or blank in its target', () => {
    const taken = read(CODES, byte => withLine(`GET /a${byte} HTTP/1.1`));
    expect(taken).toEqual(CODES.filter(code => code >= 0x80));
  });

  test('a control or 8-bit byte in a value, but a tab', () => {
    expect(read(CODES, byte => withField(`X: y${byte}z`))).toEqual([0x09, 0x20]);
  });

  test('a byte in a name that names do not have', () => {
    const codes = [...CODES, ...[...'"(),/;<=>?@[\\]{}'].map(c => c.charCodeAt(0))];
    expect(read(codes, byte => withField(`X${byte}: y`))).toEqual([]);
  });
});

describe('fields are unusual with', () => {
  test.each([
    ['a folded line', 'X: y\r\n z'],
    ['a line folded with a tab', 'X: y\r\n\tz'],
    ['a first line folded', 'X:\r\n y'],
    ['a bare line feed', 'X: y\nZ: z'],
    ['a bare carriage return', 'X: y\rZ: z'],
    ['a carriage return before the line end', 'X: y\r'],
    ['a blank before the colon', 'X : y'],
    ['a tab before the colon', 'X\t: y'],
    ['a blank before the name', ' X: y'],
    ['a blank in the name', 'X Y: z'],
    ['no name', ': y'],
    ['no colon', 'X'],
    ['no colon, where the next line has one', 'X\r\nY: z'],
    ['a name given twice', 'X: y\r\nX: y'],
    ['a name given twice in another case', 'x-y: y\r\nX-Y: y'],
    ['a name given twice, the first time empty', 'X:\r\nX: y'],
    ['a second Host', 'Host: h'],
    ['a second Content-Length', 'Content-Length: 1\r\nContent-Length: 1'],
    ...['constructor', '__proto__'].map(name => [`the name ${name}`, `${name}: y`]),
    ...['Transfer-Encoding: chunked', 'transfer-encoding: identity', 'Transfer-Encoding:'].map(f => [f, f]),
    ...[
      'Upgrade: websocket',
      'Expect: 100-continue',
      'Trailer: X',
      'Proxy-Connection: keep-alive',
      'Set-Cookie: a',
    ].map(f => [f, f]),
    ...['close', 'Upgrade', 'keep-alive, close', 'keep-alive, keep-alive', 'keep-alive,', ''].map(value => [
      `Connection: ${value}`,
      `Connection: ${value}`,
    ]),
    ...['+1', '-1', '1 2', '1\t2', '1, 1', '1,1', '1;', '0x1', '1e1', '1.0', '', 'one', '1'.repeat(16)].map(value => [
      `Content-Length: ${value}`,
      `Content-Length: ${value}`,
    ]),
  ])('%s', (_what, field) => {
    expect(withField(field)).toBe('unusual');
  });

  test('no Host', () => {
    expect(read(`${LINE}Accept: a/b\r\n\r\n`)).toBe('unusual');
    expect(read(`${LINE}\r\n`)).toBe('unusual');
  });

  test('a first line that begins with a blank', () => {
    expect(read(`${LINE} Host: h\r\n\r\n`)).toBe('unusual');
  });
});

describe('fields that are known', () => {
  const heads = {
    first: `${LINE}Host: h\r\nX: 1\r\n\r\n`,
    'another value': `${LINE}Host: h\r\nX: 2\r\n\r\n`,
    'a longer value': `${LINE}Host: h\r\nX: 11\r\n\r\n`,
    'fewer fields': `${LINE}Host: h\r\n\r\n`,
    'more fields': `${LINE}Host: h\r\nX: 1\r\nY: 1\r\n\r\n`,
    'another name': `${LINE}Host: h\r\nZ: 1\r\n\r\n`,
    'another line': 'PUT /b HTTP/1.1\r\nHost: h\r\nX: 1\r\n\r\n',
    'a body': `${LINE}Host: h\r\nX: 1\r\nContent-Length: 3\r\n\r\n`,
    unusual: `${LINE}Host: h\r\nX: 1\r\nX: 1\r\n\r\n`,
    chunked: `${LINE}Host: h\r\nX: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    'another case': `${LINE}Host: h\r\nx: 1\r\n\r\n`,
  };
  const names = Object.keys(heads) as (keyof typeof heads)[];

  test.each(names)('are never those of another head, after %s', before => {
    for (const after of names) {
      const reader = new HeadReader();
      const second = Buffer.from(heads[after]);
      reader.read(Buffer.from(heads[before]));
      expect([after, reader.read(second)]).toEqual([after, read(heads[after])]);
      expect([after, reader.read(second)]).toEqual([after, read(heads[after])]);
    }
  });

  const headsOf = (readers: readonly HeadReader[], text: string): (HeadReading & object)[] =>
    readers.map(reader => {
      const head = reader.read(Buffer.from(text));
      if (typeof head !== 'object') throw new Error('not read');
      return head;
    });

  test('are so on every connection of a port, and on no other port', () => {
    const [known, other] = [new KnownFields(), new KnownFields()];
    const [one, two, third] = headsOf(
      [known, known, other].map(of => new HeadReader(of)),
      heads.first,
    );
    expect(two?.headers).toBe(one?.headers);
    expect(third?.headers).not.toBe(one?.headers);
    expect(third).toEqual(one);
  });

  test('are 64, the newest, and none that is longer than 2 KiB', () => {
    const known = new KnownFields();
    const reader = new HeadReader(known);
    const read = (i: number, more = ''): object | undefined =>
      headsOf([reader], `${LINE}Host: h\r\nX: ${i}${more}\r\n\r\n`)[0]?.headers;
    const first = read(0);
    for (let i = 1; i < 64; i++) read(i);
    expect([known.size, read(0) === first]).toEqual([64, true]);
    const newest = read(64);
    expect([known.size, read(64) === newest, read(0) === first]).toEqual([64, true, false]);
    const long = 'x'.repeat(2048);
    expect(read(65, long)).toEqual({host: 'h', x: `65${long}`});
    expect(read(65, long)).not.toBe(read(65, long));
  });

  test('are kept where they are the same, and nobody can change them', () => {
    const reader = new HeadReader();
    const [one, two] = ['first', 'another line'].map(name => reader.read(Buffer.from(heads[name as 'first'])));
    if (typeof one !== 'object' || typeof two !== 'object') throw new Error('not read');
    expect(two.headers).toBe(one.headers);
    expect(() => Object.assign(one.headers, {x: '2'})).toThrow(TypeError);
  });
});

describe('no head takes long', () => {
  const long = (text: string, count = HEAD_BYTES_MAX): string => text.repeat(Math.floor(count / text.length) - 8);
  const hostile: Record<string, string> = {
    'blanks in a value': `${LINE}Host: h\r\nX:${long(' ', 16_000)}\0\r\n\r\n`,
    'blanks without a colon': `${LINE}Host: h\r\nX${long(' ', 16_000)}\r\n\r\n`,
    'short fields': `${LINE}Host: h\r\n${long('a:\r\n', 16_000)}\0\r\n\r\n`,
    'short lines without a colon': `${LINE}Host: h\r\n${long('a\r\n', 16_000)}b:\r\n\r\n`,
    'carriage returns': `${LINE}Host: h\r\nX:${long('\r', 16_000)}\r\n\r\n`,
    'slashes in a target': `GET ${long('/', 16_000)} \r\nHost: h\r\n\r\n`,
    'versions in a target': `GET /${long('HTTP/1.1', 16_000)}\r\nHost: h\r\n\r\n`,
    'a method': `${long('G', 16_000)}\r\nHost: h\r\n\r\n`,
    digits: `${LINE}Host: h\r\nContent-Length: ${long('1', 16_000)}\r\n\r\n`,
    'a name': `${LINE}Host: h\r\n${long('x', 16_000)}(: y\r\n\r\n`,
    'line ends that are none': `GET /${long('\r\n\r', 16_000)}`,
    'half a head': `${LINE}Host: h\r\nX: ${long('\t', 16_000)}`,
  };

  // With the square of their length these would take minutes.
  test.each(Object.keys(hostile))('%s', name => {
    const bytes = Buffer.from(hostile[name] ?? '', 'latin1');
    for (let times = 0; times < 300; times++) {
      if (typeof new HeadReader().read(bytes) === 'object') throw new Error('read');
    }
  });

  test('byte by byte: a byte is looked at a few times, not again with every later one', () => {
    const text = `${LINE}Host: h\r\nX: ${'y'.repeat(12_000)}\r\n${'z'.repeat(4_000)}`;
    const bytes = Buffer.from(text);
    const [searched, told] = [vi.spyOn(Buffer.prototype, 'indexOf'), vi.spyOn(Buffer.prototype, 'toString')];
    const reader = new HeadReader();
    let partial = 0;
    for (let cut = 1; cut <= bytes.length; cut++) if (reader.read(bytes.subarray(0, cut)) === 'partial') partial++;
    const spans = (spy: typeof searched | typeof told, fromAt: number): number =>
      spy.mock.calls.reduce((sum, args, i) => {
        const bytesHere = (spy.mock.contexts[i] as Buffer).length;
        return sum + ((args[fromAt + 1] as number | undefined) ?? bytesHere) - ((args[fromAt] as number) ?? 0);
      }, 0);
    const looks = [spans(searched, 1), spans(told, 1)];
    vi.restoreAllMocks();
    expect(partial).toBe(bytes.length);
    expect(looks[0]).toBeLessThan(5 * bytes.length);
    expect(looks[1]).toBeLessThan(3 * bytes.length);
    expect(Math.min(...looks)).toBeGreaterThanOrEqual(bytes.length);
  });
});
