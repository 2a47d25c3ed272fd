// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {parseCsv} from './csv.ts';
import {tokenAuthenticator} from './token-authenticator.ts';
import {digestOf, parseTokenFile, TokenFileError} from './token-file.ts';
import {tokenTableSource} from './token-table-source.ts';

const fieldsOf = (text: string): (readonly string[])[] => parseCsv(text).records.map(({fields}) => fields);

describe('comma-separated values', () => {
  test.each([
    ['plain fields', 'a,b,c\n', [['a', 'b', 'c']]],
    ['no final line break', 'a,b', [['a', 'b']]],
    [
      'line breaks of Windows',
      'a,b\r\nc,d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'empty lines do not count',
      '\na,b\n\n\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['empty fields count', 'a,,\n', [['a', '', '']]],
    ['quotes, commas and quotes inside', '"a,b","c ""d"""\n', [['a,b', 'c "d"']]],
    ['a line break inside quotes', '"a\nb",c\n', [['a\nb', 'c']]],
    ['a byte order mark is passed over', '\uFEFFa,b\n', [['a', 'b']]],
  ])('%s', (_, text, records) => {
    expect(fieldsOf(text)).toEqual(records);
  });

  test.each([
    ['a quote inside a plain field', 'a"b,c\nd,e\n', [1]],
    ['text behind a quoted field', 'x,y\n"a"b,c\n', [2]],
    ['a quote that does not end', 'x,y\n"a,b\nc,d\n', [2]],
    ['blanks before a quote', 'a, "b"\n', [1]],
  ])('%s is a fault with its line', (_, text, lines) => {
    expect(parseCsv(text).faults.map(({line}) => line)).toEqual(lines);
  });

  test('lines are those of the file, also behind a record over several lines', () => {
    expect(parseCsv('"a\nb",c\n\nd,e\n').records.map(({line}) => line)).toEqual([1, 4]);
  });
});

describe('the token file', () => {
  const user = (text: string, token: string) => parseTokenFile(text).get(digestOf(token));

  test('one user per line, everybody in system:authenticated', () => {
    expect(user('t,alice,u-1,"dev,ops"\n', 't')).toEqual({
      name: 'alice',
      uid: 'u-1',
      groups: ['dev', 'ops', 'system:authenticated'],
    });
    expect(user('t,alice,u-1\n', 't')?.groups).toEqual(['system:authenticated']);
    expect(user('t,alice,,"system:authenticated,x"\n', 't')?.groups).toEqual(['system:authenticated', 'x']);
  });

  test('a digest stands for its token, in either case of letters', () => {
    const digest = digestOf('secret');
    expect(user(`sha256:${digest},bob,1\n`, 'secret')?.name).toBe('bob');
    expect(user(`sha256:${digest.toUpperCase()},bob,1\n`, 'secret')?.name).toBe('bob');
  });

  test('every fault is named with its line, all at once', () => {
    const text = [
      't1,alice',
      ',bob,1',
      't2,,1',
      'sha256:abc,carol,1',
      't3,dave,1',
      't3,erin,2',
      `sha256:${digestOf('t3')},frank,3`,
      'x"y,z,1',
    ].join('\n');
    const faults = (): readonly string[] => {
      try {
        parseTokenFile(text);
        return [];
      } catch (error) {
        return error instanceof TokenFileError ? error.faults : [String(error)];
      }
    };
    expect(faults()).toEqual([
      'line 1: found 2 columns, need at least 3: token, user name, user uid[, "group1,group2"]',
      'line 2: the token is empty',
      'line 3: the user name is empty',
      'line 4: sha256: must be followed by 64 hexadecimal digits',
      'line 6: duplicate of the token in line 5',
      'line 7: duplicate of the token in line 6',
      'line 8: misplaced quote; quote the whole field',
    ]);
  });

  test('43-5 a line of one column is one column', () => {
    expect(() => parseTokenFile('t1')).toThrow(/found 1 column, need at least 3/);
  });

  test('what is passed over is told with its line, and never a token', () => {
    const told = (text: string) => {
      const warnings: string[] = [];
      const users = [...parseTokenFile(text, warning => warnings.push(warning)).values()];
      return {users: users.map(({name, groups}) => [name, ...groups]), warnings};
    };
    expect(told('hush1,eve,6,g1,g2\n\n# token,user,uid\n#hush2,ann,7\nhush3,bob,8,"g1,g2"\n')).toEqual({
      users: [
        ['eve', 'g1', 'system:authenticated'],
        ['ann', 'system:authenticated'],
        ['bob', 'g1', 'g2', 'system:authenticated'],
      ],
      warnings: [
        'line 1: 5 columns, all after the fourth are ignored: write groups as "group1,group2"',
        'line 3: ignored: a token cannot contain white space (comments are not supported)',
        'line 4: starts with "#" but is read as a token: comments are not supported',
      ],
    });
    expect(told('\n\n')).toEqual({users: [], warnings: []});
  });

  test('no fault repeats a token', () => {
    expect(() => parseTokenFile('hush-hush,alice\nhush-hush,,x\n')).toThrow(
      expect.objectContaining({message: expect.not.stringContaining('hush')}),
    );
  });
});

describe('bearer tokens', () => {
  const {authenticate} = tokenAuthenticator([tokenTableSource(parseTokenFile('t,alice,1\n'))]);
  const outcome = async (authorization: string | undefined): Promise<string> =>
    (await authenticate({headers: {authorization}})).outcome;

  test.each([
    ['Bearer t', 'user'],
    ['bearer t', 'user'],
    ['  Bearer t  ', 'user'],
    ['Bearer t more', 'user'],
    ['Bearer x', 'refused'],
    ['Bearer T', 'refused'],
    [`Bearer sha256:${digestOf('t')}`, 'refused'],
    ['Bearer', 'anonymous'],
    ['Bearer  t', 'anonymous'],
    ['Basic dDp0', 'anonymous'],
    ['', 'anonymous'],
    [undefined, 'anonymous'],
  ])('%s is %s', async (header, wanted) => {
    expect(await outcome(header)).toBe(wanted);
  });
});
