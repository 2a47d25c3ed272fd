// SPDX-License-Identifier: Apache-2.0
/**
 * Preloaded (`--require`) into the Node programs of these tests, because loading the SDK is most of their CPU time. The SDK is unchanged, but
 * its rarely used dependencies are loaded on first use: Arborist and TypeScript (function serialization), OpenTelemetry (--tracing), the
 * automation API. The source maps of the SDK's own files are not read. Programs run without this file in test/server/demo.test.ts.
 */
import Module from 'node:module';

type Load = (
  this: unknown,
  request: string,
  parent: {readonly filename?: string} | undefined,
  isMain: boolean,
) => unknown;
type Loaded = Readonly<Record<PropertyKey, unknown>>;

/** Modules whose properties the SDK reads only when it uses them. */
const WHOLE = new Set(['@npmcli/arborist', 'typescript', './automation']);
/** Modules whose functions and classes the SDK reads at load time and calls later. */
const IN_PARTS = new Set([
  '@opentelemetry/exporter-zipkin',
  '@opentelemetry/instrumentation',
  '@opentelemetry/instrumentation-grpc',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-base',
  '@opentelemetry/sdk-trace-node',
]);
/** Replaced by an empty module. */
const LEFT_OUT = 'source-map-support/register';

/** Answers `__esModule` with true, so that `__importStar` makes no copy, which would load it. */
const lateModule = (loaded: () => Loaded): object =>
  new Proxy(
    {},
    {
      get: (_, name) => (name === '__esModule' ? true : loaded()[name]),
      has: (_, name) => name in loaded(),
      ownKeys: () => Reflect.ownKeys(loaded()),
      getOwnPropertyDescriptor: (_, name) => {
        const found = Reflect.getOwnPropertyDescriptor(loaded(), name);
        return found && {...found, configurable: true}; // of the stand-in, which has no property of its own
      },
    },
  );

const lateParts = (loaded: () => Loaded): object =>
  new Proxy(
    {},
    {
      get: (_, name) =>
        new Proxy(function late() {}, {
          apply: (_late, self, args) => Reflect.apply(loaded()[name] as never, self, args),
          construct: (_late, args) => Reflect.construct(loaded()[name] as never, args),
        }),
    },
  );

const loader = Module as unknown as {_load: Load};
const load = loader._load;
loader._load = function (request, parent, isMain) {
  const late = WHOLE.has(request) ? lateModule : IN_PARTS.has(request) ? lateParts : undefined;
  if (!parent?.filename?.includes('/@pulumi/pulumi/')) return load.call(this, request, parent, isMain);
  if (request === LEFT_OUT) return {};
  if (late === undefined) return load.call(this, request, parent, isMain);
  let module: Loaded | undefined;
  return late(() => {
    module ??= load.call(this, request, parent, isMain) as Loaded;
    return module;
  });
};
