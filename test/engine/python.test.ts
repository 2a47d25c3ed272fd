// SPDX-License-Identifier: Apache-2.0
import {existsSync, readFileSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {EngineBench} from './support/engine-bench.ts';
import {startHangingEngine} from './support/killed-engine.ts';

const VENV = fileURLToPath(new URL('../../build/sdk/venv', import.meta.url));
const present = existsSync(VENV);
if (!present) process.stderr.write('skipped: Python programs (no build/sdk/venv; run make sdk)\n');

// Every step starts a program: on a busy machine that takes its time.
vi.setConfig({testTimeout: 240_000, hookTimeout: 60_000});

let bench: EngineBench;
beforeEach(async () => {
  bench = new EngineBench({passphrase: 'check', runtime: 'runtime: python'});
  bench.write('Pulumi.yaml', 'name: proj\nruntime: python\n');
  bench.env = {...bench.env, VIRTUAL_ENV: VENV};
  await bench.init();
});
afterEach(() => bench.remove());

const PRELUDE = `
import pulumi
class Thing(pulumi.CustomResource):
    def __init__(self, resource_name, props, opts=None):
        super().__init__("fake:index:Thing", resource_name, {"computed": None, "value": None, **props}, opts)
    computed: pulumi.Output[str]
cfg = pulumi.Config()
`;

describe.runIf(present)('programs in Python', () => {
  test('--continue-on-error deletes what the program no longer names, but not what a failed or skipped resource needs', async () => {
    bench.write(
      '__main__.py',
      `${PRELUDE}
kept = Thing("kept", {"value": 1})
Thing("gone", {"value": 1})
bad = Thing("bad", {"value": kept.computed})
Thing("skipped", {"value": 1}, pulumi.ResourceOptions(depends_on=[bad]))
`,
    );
    await bench.up();
    bench.write(
      '__main__.py',
      `${PRELUDE}
bad = Thing("bad", {"value": 2, "fail": "update"})
Thing("skipped", {"value": 2}, pulumi.ResourceOptions(depends_on=[bad]))
`,
    );
    bench.cloud.take();
    const ran = await bench.up(1, '--continue-on-error');
    expect(bench.cloud.take().filter(call => !/^(check|diff)/.test(call))).toEqual(['update bad', 'delete gone']);
    expect(ran.err.match(/error: /g)).toHaveLength(1);
    for (const name of ['kept', 'bad', 'skipped']) expect(bench.resource(name)).toBeDefined();
  });

  test('E-026 E-027 E-029 create, no-op, replace, secrets, options, outputs', async () => {
    bench.write(
      '__main__.py',
      `${PRELUDE}
a = Thing(resource_name="a", props={"key": cfg.get("key") or "k1", "token": pulumi.Output.secret("hidden")})
b = Thing("b", {"value": a.computed}, pulumi.ResourceOptions(depends_on=[a], protect=False))
pulumi.export("seen", b.value if hasattr(b, "value") else b.computed)
pulumi.export("where", pulumi.get_project() + "/" + pulumi.get_stack())
pulumi.export("secret", cfg.get_secret("token"))
`,
    );
    await bench.run('config', 'set', '--secret', 'token', 'hidden-too');
    const preview = await bench.run('preview', '--json');
    expect(preview.code, preview.all).toBe(0);
    expect(JSON.parse(preview.out).changeSummary).toEqual({create: 3});
    const ran = await bench.up();
    expect(ran.all).not.toContain('hidden');
    expect(JSON.parse((await bench.run('stack', 'output', '--json')).out)).toMatchObject({
      where: 'proj/dev',
      secret: '[secret]',
    });
    await bench.up(0, '--expect-no-changes');
    await bench.run('config', 'set', 'key', 'k2');
    await bench.up();
    expect(bench.resource('a')).toMatchObject({id: 'id-3'});
    expect((await bench.run('destroy', '--yes', '--skip-preview')).code).toBe(0);
    expect(bench.cloud.objects.size).toBe(0);
  });

  test('a program does not outlive an engine that was killed', async () => {
    bench.write('__main__.py', `${PRELUDE}\nimport os\nopen("pid", "w").write(str(os.getpid()))\nThing("a", {})\n`);
    const engine = await startHangingEngine(bench);
    const status = `/proc/${readFileSync(join(bench.folder, 'pid'), 'utf8')}/status`;
    const state = (): string =>
      existsSync(status) ? (/^State:\t(\S)/m.exec(readFileSync(status, 'utf8'))?.[1] ?? '') : 'gone';
    expect(state()).toMatch(/[RS]/);
    engine.kill('SIGKILL');
    await expect.poll(state, {timeout: 20_000}).toMatch(/gone|Z/); // Z: nobody has asked for its exit code yet
  });

  test('E-274 a component that is renamed with an alias keeps its children', async () => {
    const program = (name: string, opts: string): string => `${PRELUDE}
class Pair(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__("my:index:Pair", name, {}, opts)
        one = Thing(f"{name}-one", {"value": 1}, pulumi.ResourceOptions(parent=self))
        Thing(f"{name}-one-two", {"value": 2}, pulumi.ResourceOptions(parent=one))
        self.register_outputs({})
Pair("${name}", pulumi.ResourceOptions(${opts}))
`;
    bench.write('__main__.py', program('old', ''));
    await bench.up();
    bench.write('__main__.py', program('new', 'aliases=[pulumi.Alias(name="old")]'));
    await bench.up(0, '--expect-no-changes');
    expect(bench.resource('new-one-two')).toMatchObject({id: 'id-2'});
    expect(bench.cloud.objects.size).toBe(2);
  });

  test("errors: a refused input, an exception (with the program's own frames only), a missing interpreter", async () => {
    bench.write('__main__.py', `${PRELUDE}\nThing("bad", {"bad": "x"})\n`);
    const refused = await bench.up(1);
    expect(refused.err).toContain(
      "fake:index:Thing resource 'bad': property bad value {x} has a problem: this is refused",
    );
    expect(refused.err.match(/this is refused/g)).toHaveLength(1);
    bench.write('__main__.py', 'def f():\n    raise ValueError("my own fault")\nf()\n');
    const failed = await bench.up(1);
    expect(failed.err).toMatch(/Traceback[\s\S]*__main__\.py", line 3[\s\S]*ValueError: my own fault/);
    expect(failed.err).not.toContain('run_python_program.py');
    bench.write('Pulumi.yaml', 'name: proj\nruntime: {name: python, options: {virtualenv: nowhere}}\n');
    expect((await bench.up(1)).err).toMatch(/virtualenv: .*nowhere\/bin\/python does not exist/);
  });

  test('errors: a program that cannot be read is told by file and line, also with the environment in its folder', async () => {
    symlinkSync(VENV, join(bench.folder, 'venv'));
    bench.write('Pulumi.yaml', 'name: proj\nruntime: {name: python, options: {virtualenv: venv}}\n');
    bench.write('__main__.py', 'import pulumi\ndef f(:\n    pass\n');
    const unread = await bench.up(1);
    expect(unread.err).toMatch(/__main__\.py", line 2\n {4,}def f\(:[\s\S]*SyntaxError: invalid syntax/);
    bench.write('__main__.py', 'import part\n');
    bench.write('part.py', 'x = (\n');
    const inPart = await bench.up(1);
    expect(inPart.err).toMatch(
      /__main__\.py", line 1[\s\S]*part\.py", line 1[\s\S]*SyntaxError: '\(' was never closed/,
    );
    bench.write('__main__.py', 'import pulumi\npulumi.Output.from_input(1).apply(lambda _: 1 / 0)\n');
    const late = await bench.up(1);
    expect(late.err).toMatch(/__main__\.py", line 2[\s\S]*ZeroDivisionError: division by zero/);
    bench.write('__main__.py', 'try:\n    1 / 0\nexcept Exception as e:\n    raise ValueError("outer") from e\n');
    const caused = await bench.up(1);
    expect(caused.err).toMatch(
      /line 2[\s\S]*ZeroDivisionError[\s\S]*direct cause[\s\S]*line 4[\s\S]*ValueError: outer/,
    );
    const parse = 'import json\ndef parse(text):\n    return json.loads(text)\ndef load():\n    return parse("{")\n';
    bench.write(
      '__main__.py',
      `${parse}try:\n    load()\nexcept Exception as e:\n    raise ValueError("outer") from e\n`,
    );
    const deep = await bench.up(1);
    expect(deep.err).toMatch(
      /line 7, in <module>[\s\S]*line 5, in load[\s\S]*line 3, in parse[\s\S]*JSONDecodeError[\s\S]*direct cause[\s\S]*line 9, in <module>[\s\S]*ValueError: outer/,
    );
    for (const {err} of [unread, inPart, late, caused, deep])
      expect(err).not.toMatch(/run_python_program|runpy|asyncio|pulumi\/runtime/);
  });

  test('sys.exit with a reason is told and fails, without one it is the end of the program', async () => {
    bench.write('__main__.py', 'import sys\nsys.exit("not today")\n');
    expect((await bench.up(1)).err).toMatch(/not today[\s\S]*the program exited with code 1/);
    bench.write('__main__.py', 'import sys\nsys.exit()\n');
    await bench.up();
  });

  test('errors: a folder without a program', async () => {
    expect((await bench.up(1)).err).toBe(
      `palisade: no __main__.py in ${bench.folder}: write the program there, or name its file with main in ${bench.folder}/Pulumi.yaml\n`,
    );
    bench.write('app.py', 'import pulumi\n');
    bench.write('Pulumi.yaml', 'name: proj\nruntime: python\nmain: app.py\n');
    await bench.up();
  });
});
