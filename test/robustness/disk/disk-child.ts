// SPDX-License-Identifier: Apache-2.0
/**
 * A process on a faulty disk. It does what the lines on stdin say, one answer line each: `ok …` or `CODE …`.
 *   write FILE TEXT | synced FILE TEXT | sync PATH | read FILE | rename FROM TO | make FILE | folder PATH | remove FILE
 *   open FILE PRAGMAS | insert NUMBER | count | close | now
 * `open` makes a table; PRAGMAS: NAME=VALUE,NAME=VALUE. `everything FOLDER` uses every call that it can think of.
 */
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  cpSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  promises,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {DatabaseSync} from 'node:sqlite';

let db: DatabaseSync | undefined;

const sync = (path: string): void => {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

const openDatabase = (file: string, pragmas: string): void => {
  db = new DatabaseSync(file);
  for (const pragma of pragmas.split(',')) db.exec(`PRAGMA ${pragma}`);
  db.exec('CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, filling TEXT)');
};

const insert = (n: string): void => {
  db?.prepare('INSERT INTO t VALUES (?, ?)').run(Number(n), String(n).repeat(200));
};

const everything = async (folder: string): Promise<void> => {
  const at = (name: string): string => join(folder, name);
  const big = Buffer.alloc(100_000, 'b');
  writeFileSync(at('a'), big);
  writeFileSync(at('a'), 'shorter');
  copyFileSync(at('a'), at('copy'));
  cpSync(at('a'), at('copy-2'));
  appendFileSync(at('copy'), 'appended');
  const appending = await promises.open(at('copy'), 'a');
  await appending.write('at the end', 0); // O_APPEND wins over the position
  await appending.close();
  mkdirSync(at('x/y/z'), {recursive: true});
  writeFileSync(at('x/y/z/deep'), 'deep');
  renameSync(at('x/y'), at('x/w'));
  appendFileSync(at('x/w/z/deep'), 'er');
  linkSync(at('x/w/z/deep'), at('second-name'));
  symlinkSync('a', at('symbolic'));
  await promises.writeFile(at('by-promise'), big);
  const file = await promises.open(at('by-promise'), 'r+');
  await file.writev([Buffer.from('one'), Buffer.from('two')], 50);
  await file.write('at its position');
  await file.truncate(60_000);
  await file.datasync();
  await file.close();
  truncateSync(at('a'), 3);
  truncateSync(at('a'), 5_000);
  mkdirSync(at('gone/gone'), {recursive: true});
  writeFileSync(at('gone/gone/file'), 'x');
  rmSync(at('gone'), {recursive: true});
  rmSync(at('copy-2'));
  process.chdir(folder);
  writeFileSync('./x/../relative', 'relative');
  for (const [name, journal] of ['WAL', 'DELETE', 'TRUNCATE', 'PERSIST'].entries()) {
    openDatabase(at(`${name}.db`), `journal_mode=${journal}`);
    for (let n = 0; n < 20; n++) insert(String(n));
    db?.exec('DELETE FROM t WHERE n % 2; VACUUM');
    if (name > 0) db?.close();
    else new DatabaseSync(at(`${name}.db`)); // the log stays
  }
};

const obey = async (verb: string | undefined, [a = '', b = '']: readonly string[]): Promise<unknown> => {
  switch (verb) {
    case 'write':
      return writeFileSync(a, b);
    case 'synced':
      return writeFileSync(a, b, {flush: true});
    case 'sync':
      return sync(a);
    case 'read':
      return readFileSync(a, 'utf8');
    case 'rename':
      return renameSync(a, b);
    case 'folder':
      return mkdirSync(a);
    case 'remove':
      return rmSync(a);
    case 'open':
      return openDatabase(a, b);
    case 'insert':
      return insert(a);
    case 'count':
      return db?.prepare('SELECT count(*) AS n FROM t').get()?.['n'];
    case 'close':
      return db?.close();
    case 'everything':
      return everything(a);
    default:
      return Date.now();
  }
};

for await (const line of createInterface({input: process.stdin})) {
  const [verb, ...words] = line.split(' ');
  try {
    process.stdout.write(`ok ${await obey(verb, words)}\n`);
  } catch (error) {
    const {code, errcode, message} = error as {code?: string; errcode?: number; message?: string};
    process.stdout.write(`${errcode === undefined ? code : `sqlite-${errcode}`} ${message}\n`);
  }
}
