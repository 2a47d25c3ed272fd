// SPDX-License-Identifier: Apache-2.0
/** Reads the struct declarations of Kubernetes API packages: a line parser for the plain form those files have. */

export type GoField = {
  /** JSON name. */
  readonly json: string;
  /** Name of the Go field; differs from the type's for all but embedded structs. */
  readonly goName: string;
  /** Go type as the decoder prints it: package name, not path (`[]v1.EndpointSubset`, `*int64`). */
  readonly go: string;
  /** Type below the names: `string`, `int32`, `[]ref`, `map[string]string`, `*ref`, `any`, … */
  readonly kind: string;
  /** OpenAPI name of the struct that `kind` refers to. */
  readonly ref?: string;
  readonly proto: number;
  readonly omitempty?: true;
  readonly omitzero?: true;
  readonly inline?: true;
  readonly optional?: true;
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly listType?: string;
  readonly doc: string;
};
export type GoStruct = {readonly doc: string; readonly fields: readonly GoField[]};
export type GoPackage = {readonly structs: Record<string, GoStruct>; readonly aliases: ReadonlyMap<string, string>};

type Context = {readonly prefix: string; readonly prefixByPath: ReadonlyMap<string, string>};

const BUILTIN = new Set(['string', 'bool', 'int32', 'int64', 'float64', 'byte', 'interface{}']);
/** Types with a form of their own on the wire. */
const SPECIAL: Readonly<Record<string, string>> = {
  'v1.Time': 'time',
  'v1.MicroTime': 'micro-time',
  'v1.FieldsV1': 'any',
  'runtime.RawExtension': 'any',
  'types.UID': 'string',
  'intstr.IntOrString': 'int-or-string',
  'resource.Quantity': 'quantity',
  'interface{}': 'any',
};

/** Parses the given files of one package. Throws on a field it cannot read; a type of a package that is not listed gets the kind `unlisted`. */
export function parseGoPackage(sources: readonly string[], context: Context): GoPackage {
  const aliases = new Map<string, string>();
  const bodies = new Map<string, {doc: string; lines: string[]; imports: Map<string, string>}>();
  for (const original of sources) {
    const source = original.replace(/^\s*\/\*[\s\S]*?\*\//gm, '');
    const imports = readImports(source);
    for (const m of source.matchAll(/^type (\w+) ([\w[\].]+)$/gm)) aliases.set(m[1] as string, m[2] as string);
    for (const m of source.matchAll(/((?:^\/\/.*\n)*)^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
      bodies.set(m[2] as string, {
        doc: toDoc((m[1] as string).split('\n')),
        lines: (m[3] as string).split('\n'),
        imports,
      });
    }
  }
  const structs: Record<string, GoStruct> = {};
  for (const [name, body] of bodies) {
    structs[name] = {
      doc: body.doc,
      fields: readFields(body.lines, {...context, aliases, imports: body.imports, bodies}),
    };
  }
  return {structs, aliases};
}

function readImports(source: string): Map<string, string> {
  const imports = new Map<string, string>();
  const block = /^import \(([\s\S]*?)^\)/m.exec(source)?.[1] ?? '';
  for (const m of block.matchAll(/^\s*(\w+)?\s*"([^"]+)"/gm)) {
    const path = m[2] as string;
    imports.set(m[1] ?? path.slice(path.lastIndexOf('/') + 1), path);
  }
  return imports;
}

type Scope = Context & {
  readonly aliases: ReadonlyMap<string, string>;
  readonly imports: ReadonlyMap<string, string>;
  readonly bodies: ReadonlyMap<string, unknown>;
};

function readFields(lines: readonly string[], scope: Scope): GoField[] {
  const fields: GoField[] = [];
  let comment: string[] = [];
  for (const raw of lines) {
    const line = raw.trim();
    if (line === '') comment = [];
    else if (line.startsWith('//')) comment.push(line);
    else {
      const field = readField(line, comment, scope);
      if (field !== undefined) fields.push(field);
      comment = [];
    }
  }
  return fields;
}

function readField(line: string, comment: readonly string[], scope: Scope): GoField | undefined {
  const m = /^(?:(\w+)\s+)?([\w.*[\]{}]+)\s*`([^`]*)`/.exec(line);
  if (m === null) throw new Error(`cannot read the field: ${line}`);
  const tags = Object.fromEntries([...(m[3] as string).matchAll(/(\w+):"([^"]*)"/g)].map(t => [t[1], t[2] as string]));
  const [json = '', ...options] = (tags['json'] ?? '').split(',');
  if (json === '-') return undefined;
  const type = typeOf(m[2] as string, scope);
  const goName = m[1] ?? (m[2] as string).replace(/^.*\./, '');
  const marker = (name: string) =>
    comment.map(c => new RegExp(`^//\\s*\\+${name}=(\\S+)`).exec(c)?.[1]).find(v => v !== undefined);
  const listType = marker('listType');
  return {
    json,
    goName,
    ...type,
    proto: Number(/^\w+,(\d+)/.exec(tags['protobuf'] ?? '')?.[1] ?? 0),
    ...(options.includes('omitempty') && {omitempty: true as const}),
    ...(options.includes('omitzero') && {omitzero: true as const}),
    ...((options.includes('inline') || json === '') && {inline: true as const}),
    ...(comment.some(c => /^\/\/\s*\+optional/.test(c)) && {optional: true as const}),
    ...(tags['patchStrategy'] && {patchStrategy: tags['patchStrategy']}),
    ...(tags['patchMergeKey'] && {patchMergeKey: tags['patchMergeKey']}),
    ...(listType !== undefined && {listType}),
    doc: toDoc(comment),
  };
}

/** Resolves names: what the decoder prints, what it is below, and the struct it refers to. */
function typeOf(text: string, scope: Scope): {go: string; kind: string; ref?: string} {
  for (const wrap of ['*', '[]', 'map[string]']) {
    if (text.startsWith(wrap)) {
      const inner = typeOf(text.slice(wrap.length), scope);
      return {...inner, go: wrap + inner.go, kind: wrap + inner.kind};
    }
  }
  const key = /^map\[(\w+)\]/.exec(text)?.[1];
  if (key !== undefined) {
    if (typeOf(key, scope).kind !== 'string') throw new Error(`cannot read the keys of ${text}`);
    const inner = typeOf(text.slice(key.length + 5), scope);
    return {...inner, go: `map[${typeOf(key, scope).go}]${inner.go}`, kind: `map[string]${inner.kind}`};
  }
  if (BUILTIN.has(text)) return {go: text === 'interface{}' ? 'interface {}' : text, kind: SPECIAL[text] ?? text};
  const dot = text.indexOf('.');
  const name = text.slice(dot + 1);
  const path = dot < 0 ? undefined : scope.imports.get(text.slice(0, dot));
  const prefix = path === undefined ? scope.prefix : scope.prefixByPath.get(path);
  const packageName = (path ?? scope.prefix.replaceAll('.', '/')).split('/').at(-1) as string;
  const go = `${packageName}.${name}`;
  const special = SPECIAL[go];
  if (special !== undefined) return {go, kind: special};
  const alias = dot < 0 ? scope.aliases.get(name) : undefined;
  if (alias !== undefined && !scope.bodies.has(name)) return {...typeOf(alias, scope), go};
  if (path !== undefined && prefix === undefined) {
    if (path.endsWith('pkg/types')) return {go, kind: 'string'};
    return {go, kind: 'unlisted'};
  }
  return {go, kind: 'ref', ref: `${prefix}.${name}`};
}

/** Comment lines to text, as Kubernetes' generators do: markers and what follows `---` are left out. */
function toDoc(lines: readonly string[]): string {
  const out: string[] = [];
  for (const raw of lines) {
    const line = raw.replace(/^\/\/ ?/, '').trimEnd();
    if (line.startsWith('---')) break;
    if (line.startsWith('+') || line.startsWith('TODO')) continue;
    out.push(line);
  }
  return out.join(' ').trim();
}
