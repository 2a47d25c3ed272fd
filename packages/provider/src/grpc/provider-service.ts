// SPDX-License-Identifier: Apache-2.0
/**
 * The provider port as the gRPC service `pulumirpc.ResourceProvider`. Decodes, calls, encodes; holds nothing but what the engine
 * said it accepts. Construct, Call, Parameterize, List and the mappings are not implemented, which the engine expects.
 */
import {type ServerUnaryCall, type sendUnaryData, status, type UntypedServiceImplementation} from '@grpc/grpc-js';
import type {
  CheckRequest as CheckMessage,
  ConfigureRequest as ConfigureMessage,
  CreateRequest as CreateMessage,
  DeleteRequest as DeleteMessage,
  DiffRequest as DiffMessage,
  InvokeRequest as InvokeMessage,
  ReadRequest as ReadMessage,
  UpdateRequest as UpdateMessage,
} from '@pulumi/pulumi/proto/provider_pb.js';
import {
  type Autonaming,
  type CheckFailure,
  type CheckResult,
  type DiffKind,
  type DiffResult,
  type Provider,
  ProviderError,
} from '../provider.ts';
import {containsSecrets, type PropertyMap} from '../value.ts';
import type {EncodeOptions} from '../value-codec.ts';
import {decodeStruct, Empty, encodeStruct, providerMessages as pb, pluginMessages} from './protocol.ts';
import {toGrpcError} from './to-grpc-error.ts';

const DIFF_KINDS: Readonly<Record<DiffKind, number>> = {
  add: pb.PropertyDiff.Kind.ADD,
  'add-replace': pb.PropertyDiff.Kind.ADD_REPLACE,
  delete: pb.PropertyDiff.Kind.DELETE,
  'delete-replace': pb.PropertyDiff.Kind.DELETE_REPLACE,
  update: pb.PropertyDiff.Kind.UPDATE,
  'update-replace': pb.PropertyDiff.Kind.UPDATE_REPLACE,
};
/** By number of the protocol. */
const AUTONAMING_MODES: readonly Autonaming['mode'][] = ['propose', 'enforce', 'disable'];
const NOT_IMPLEMENTED = ['parameterize', 'call', 'construct', 'list', 'getMapping', 'getMappings'];

/** `warn`: shows a line to the user; the protocol has no place for warnings. */
export function providerService(provider: Provider, warn: (line: string) => void): UntypedServiceImplementation {
  /** What the engine takes; every engine since 2020 takes secrets. */
  const accepts: {keepSecrets: boolean} = {keepSecrets: true};
  const answer =
    <Q, A>(run: (request: Q) => Promise<A>) =>
    (call: ServerUnaryCall<Q, A>, callback: sendUnaryData<A>): void => {
      run(call.request).then(
        value => callback(null, value),
        (error: unknown) => callback(toGrpcError(error, accepts)),
      );
    };
  return {
    ...Object.fromEntries(NOT_IMPLEMENTED.map(name => [name, refuse(name)])),
    handshake: answer(async () => handshake()),
    attach: answer(async () => new Empty()),
    getPluginInfo: answer(async () => new pluginMessages.PluginInfo().setVersion(provider.version)),
    getSchema: answer(async () => new pb.GetSchemaResponse().setSchema(provider.getSchema())),
    checkConfig: answer(async (request: CheckMessage) => {
      const olds = decodeStruct(request.getOlds());
      const news = decodeStruct(request.getNews());
      return encodeCheck(await provider.checkConfig({urn: request.getUrn(), olds, news}), news, accepts);
    }),
    diffConfig: answer(async (request: DiffMessage) =>
      encodeDiff(
        await provider.diffConfig({
          urn: request.getUrn(),
          oldInputs: decodeStruct(request.getOldInputs() ?? request.getOlds()),
          news: decodeStruct(request.getNews()),
          ignoreChanges: request.getIgnorechangesList(),
        }),
      ),
    ),
    configure: answer(async (request: ConfigureMessage) => {
      accepts.keepSecrets = request.getAcceptsecrets();
      await provider.configure({inputs: configOf(request, provider.name)});
      return configured();
    }),
    check: answer(async (request: CheckMessage) => {
      const asked = decodeCheck(request);
      const result = await provider.check(asked);
      warnOf(asked.urn, result, warn);
      return encodeCheck(result, asked.news, accepts);
    }),
    diff: answer(async (request: DiffMessage) => encodeDiff(await provider.diff(decodeDiff(request)))),
    ...lifecycle(provider, {answer, accepts, warn}),
    invoke: answer(async (request: InvokeMessage) => {
      if (provider.invoke === undefined) throw new ProviderError('unimplemented', 'invoke is not implemented');
      const result = await provider.invoke({token: request.getTok(), args: decodeStruct(request.getArgs())});
      const response = new pb.InvokeResponse().setFailuresList(encodeFailures(result.failures));
      return response.setReturn(encodeStruct(result.result, accepts));
    }),
    cancel: answer(async () => {
      provider.cancel();
      return new Empty();
    }),
  };
}

type Answer = <Q, A>(
  run: (request: Q) => Promise<A>,
) => (call: ServerUnaryCall<Q, A>, callback: sendUnaryData<A>) => void;

type Warn = (line: string) => void;
type Parts = {readonly answer: Answer; readonly accepts: EncodeOptions; readonly warn: Warn};

function warnOf(urn: string, {warnings = []}: {readonly warnings?: readonly CheckFailure[]}, warn: Warn): void {
  for (const {property, reason} of warnings)
    warn(`warning: ${urn}: ${property === '' ? '' : `${property}: `}${reason}`);
}

function lifecycle(provider: Provider, {answer, accepts, warn}: Parts): UntypedServiceImplementation {
  return {
    create: answer(async (request: CreateMessage) => {
      const result = await provider.create({
        urn: request.getUrn(),
        news: decodeStruct(request.getProperties()),
        timeoutSeconds: request.getTimeout(),
        preview: request.getPreview(),
      });
      warnOf(request.getUrn(), result, warn);
      return new pb.CreateResponse().setId(result.id).setProperties(encodeStruct(result.properties, accepts));
    }),
    read: answer(async (request: ReadMessage) => {
      const result = await provider.read({
        urn: request.getUrn(),
        id: request.getId(),
        properties: decodeStruct(request.getProperties()),
        inputs: decodeStruct(request.getInputs()),
      });
      const response = new pb.ReadResponse().setId(result.id);
      // To the engine any properties mean that there is a resource, also for import and get.
      if (result.id === '') return response;
      response.setProperties(encodeStruct(result.properties, accepts));
      return response.setInputs(encodeStruct(result.inputs, accepts));
    }),
    update: answer(async (request: UpdateMessage) => {
      const result = await provider.update({
        urn: request.getUrn(),
        id: request.getId(),
        olds: decodeStruct(request.getOlds()),
        oldInputs: decodeStruct(request.getOldInputs()),
        news: decodeStruct(request.getNews()),
        timeoutSeconds: request.getTimeout(),
        ignoreChanges: request.getIgnorechangesList(),
        preview: request.getPreview(),
      });
      warnOf(request.getUrn(), result, warn);
      return new pb.UpdateResponse().setProperties(encodeStruct(result.properties, accepts));
    }),
    delete: answer(async (request: DeleteMessage) => {
      await provider.delete({
        urn: request.getUrn(),
        id: request.getId(),
        properties: decodeStruct(request.getProperties()),
        oldInputs: decodeStruct(request.getOldInputs()),
        timeoutSeconds: request.getTimeout(),
      });
      return new Empty();
    }),
  };
}

const refuse =
  (name: string) =>
  (_call: unknown, callback?: sendUnaryData<unknown>): void => {
    callback?.({code: status.UNIMPLEMENTED, details: `${name} is not implemented`});
  };

function handshake() {
  const response = new pb.ProviderHandshakeResponse();
  response.setAcceptSecrets(true);
  response.setAcceptResources(true);
  return response.setSupportsAutonamingConfiguration(true);
}

function configured() {
  const response = new pb.ConfigureResponse();
  response.setAcceptsecrets(true);
  response.setSupportspreview(true);
  response.setAcceptresources(true);
  return response.setSupportsAutonamingConfiguration(true);
}

/** `args`; an engine that sends none has the deprecated `variables` (`platform:config:kubeconfig` → text). */
function configOf(request: ConfigureMessage, name: string): PropertyMap {
  const args = request.getArgs();
  if (args !== undefined) return decodeStruct(args);
  const prefix = `${name}:config:`;
  const entries = [...request.getVariablesMap().entries()] as [string, string][];
  return Object.fromEntries(
    entries.filter(([key]) => key.startsWith(prefix)).map(([key, value]) => [key.slice(prefix.length), value]),
  );
}

function decodeCheck(request: CheckMessage) {
  const autonaming = request.getAutonaming();
  return {
    urn: request.getUrn(),
    olds: decodeStruct(request.getOlds()),
    news: decodeStruct(request.getNews()),
    randomSeed: request.getRandomseed_asU8(),
    autonaming:
      autonaming === undefined
        ? undefined
        : {proposedName: autonaming.getProposedName(), mode: AUTONAMING_MODES[autonaming.getMode()] ?? 'propose'},
  };
}

function decodeDiff(request: DiffMessage) {
  return {
    urn: request.getUrn(),
    id: request.getId(),
    olds: decodeStruct(request.getOlds()),
    // Engines before 2022 send no old inputs; the outputs hold the same keys.
    oldInputs: decodeStruct(request.getOldInputs() ?? request.getOlds()),
    news: decodeStruct(request.getNews()),
    ignoreChanges: request.getIgnorechangesList(),
  };
}

const encodeFailures = (failures: readonly CheckFailure[]) =>
  failures.map(({property, reason}) => new pb.CheckFailure().setProperty(property).setReason(reason));

function encodeCheck(result: CheckResult, news: PropertyMap, options: EncodeOptions) {
  const response = new pb.CheckResponse().setInputs(encodeStruct(result.inputs, options));
  return response.setFailuresList(encodeFailures(result.failures.map(failure => unnamed(failure, result, news))));
}

/** The Pulumi CLI shows the value of the property that a failure names, secret or not: a secret one is named in the reason. */
function unnamed(failure: CheckFailure, {inputs}: CheckResult, news: PropertyMap): CheckFailure {
  const {property, reason} = failure;
  const isShown = containsSecrets(inputs[property]) || containsSecrets(news[property]);
  return isShown ? {property: '', reason: `${property}: ${reason}`} : failure;
}

function encodeDiff(result: DiffResult) {
  const response = new pb.DiffResponse();
  response.setChanges(
    result.changes === 'none' ? pb.DiffResponse.DiffChanges.DIFF_NONE : pb.DiffResponse.DiffChanges.DIFF_SOME,
  );
  response.setDiffsList([...result.diffs]);
  response.setReplacesList([...result.replaces]);
  response.setStablesList([...result.stables]);
  response.setDeletebeforereplace(result.deleteBeforeReplace);
  response.setHasdetaileddiff(true);
  for (const [path, {kind, inputDiff}] of Object.entries(result.detailedDiff)) {
    const diff = new pb.PropertyDiff().setKind(DIFF_KINDS[kind]).setInputdiff(inputDiff);
    response.getDetaileddiffMap().set(path, diff);
  }
  return response;
}
