// SPDX-License-Identifier: Apache-2.0
/**
 * The built console: a folder that Vite writes. Its files are listed once, and again when `index.html` has changed; only a file of the
 * list is ever opened, so no path leads out of the folder. Contents stay on disk, where the system caches them; while one is sent, all
 * who ask for it share one copy.
 */
import {createHash} from 'node:crypto';
import {readdir, readFile, stat} from 'node:fs/promises';
import {extname, join} from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};
const OTHER_TYPE = 'application/octet-stream';

/** Coding of HTTP → ending of the file that has it, the smaller one first. */
const CODINGS = {br: '.br', gzip: '.gz'} as const;
export type Coding = keyof typeof CODINGS;

const INDEX = 'index.html';

export type ConsoleFile = {
  readonly type: string;
  /** Quoted, as in the header. */
  readonly etag: string;
  readonly read: () => Promise<Buffer>;
  /** Written beside it at the build. */
  readonly coded: Readonly<Partial<Record<Coding, () => Promise<Buffer>>>>;
};

type Listed = {
  readonly files: ReadonlySet<string>;
  readonly known: Map<string, Promise<ConsoleFile>>;
};

/** Whether the name ends as one of the files does that a build may have. */
export const isFileName = (name: string): boolean => TYPES[extname(name)] !== undefined;

/** However many clients ask for a file and do not read it, it is in memory once. */
const shared = (read: () => Promise<Buffer>): (() => Promise<Buffer>) => {
  let sent: WeakRef<Buffer> | undefined;
  let reading: Promise<Buffer> | undefined;
  const readAgain = async (): Promise<Buffer> => {
    try {
      const bytes = await read();
      sent = new WeakRef(bytes);
      return bytes;
    } finally {
      reading = undefined;
    }
  };
  return async () => {
    const kept = sent?.deref();
    if (kept !== undefined) return kept;
    reading ??= readAgain();
    return reading;
  };
};

/** Names below `dir`, with `/`. Links are left out. */
const namesBelow = async (dir: string): Promise<ReadonlySet<string>> => {
  const found = new Set<string>();
  const walk = async (path: string): Promise<void> => {
    for (const entry of await readdir(join(dir, path), {withFileTypes: true})) {
      const name = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) await walk(name);
      else if (entry.isFile()) found.add(name);
    }
  };
  await walk('');
  return found;
};

export class ConsoleFiles {
  readonly #dir: string;
  /** `stamp`: of index.html. */
  #now: {readonly stamp: string; readonly listed: Promise<Listed>} | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The text of index.html; undefined: the console is not built. */
  async index(): Promise<string | undefined> {
    return readFile(join(this.#dir, INDEX), 'utf8').catch(() => undefined);
  }

  /** `name`: the path below the folder, such as `assets/main-1a2b.js`. Undefined: there is no such file. */
  async find(name: string): Promise<ConsoleFile | undefined> {
    const listed = await this.#current();
    if (listed?.files.has(name) !== true) return undefined;
    const known = listed.known.get(name);
    if (known !== undefined) return known;
    const file = this.#fileOf(name, listed.files);
    listed.known.set(name, file);
    file.catch(() => listed.known.delete(name));
    return file;
  }

  async #fileOf(name: string, files: ReadonlySet<string>): Promise<ConsoleFile> {
    const reader = (of: string) => shared(() => readFile(join(this.#dir, of)));
    const read = reader(name);
    const digest = createHash('sha256')
      .update(await read())
      .digest('base64url');
    const coded = Object.entries(CODINGS).flatMap(([coding, ending]) =>
      files.has(name + ending) ? [[coding, reader(name + ending)] as const] : [],
    );
    return {
      type: TYPES[extname(name)] ?? OTHER_TYPE,
      etag: `"${digest}"`,
      read,
      coded: Object.fromEntries(coded),
    };
  }

  async #current(): Promise<Listed | undefined> {
    const found = await stat(join(this.#dir, INDEX)).catch(() => undefined);
    if (found === undefined) return undefined;
    const stamp = `${found.mtimeMs} ${found.ino} ${found.size}`;
    if (this.#now?.stamp === stamp) return this.#now.listed;
    const listed = namesBelow(this.#dir).then((files): Listed => ({files, known: new Map()}));
    const now = {stamp, listed};
    this.#now = now;
    listed.catch(() => {
      if (this.#now === now) this.#now = undefined;
    });
    return listed;
  }
}

/** Of a program that was installed without a console. */
export const NO_FILES: Pick<ConsoleFiles, 'index' | 'find'> = {
  index: async () => undefined,
  find: async () => undefined,
};
