// SPDX-License-Identifier: Apache-2.0
/**
 * The loopback server that a program talks to: ResourceMonitor and Engine on one port.
 *
 * A failed registration is answered with a gRPC error, so the program does not continue with it; the error is already reported, and what the
 * SDK says about that error is not shown again. Features that are answered "no": the SDK then computes aliases itself and refuses
 * transforms and hooks. Ref: pulumirpc.ResourceMonitor, pulumirpc.Engine.
 */
import {
  type handleUnaryCall,
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceError,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import {type InvokeResult, type PropertyMap, type PropertyValue, UNKNOWN} from '@palisade/provider';
import engineGrpc from '@pulumi/pulumi/proto/engine_grpc_pb.js';
import type {LogRequest, RequirePulumiVersionRequest, SetRootResourceRequest} from '@pulumi/pulumi/proto/engine_pb.js';
import enginePb from '@pulumi/pulumi/proto/engine_pb.js';
import providerPb from '@pulumi/pulumi/proto/provider_pb.js';
import resourceGrpc from '@pulumi/pulumi/proto/resource_grpc_pb.js';
import type {
  ReadResourceRequest,
  RegisterResourceOutputsRequest,
  RegisterResourceRequest,
  ResourceInvokeRequest,
  SupportsFeatureRequest,
} from '@pulumi/pulumi/proto/resource_pb.js';
import resourcePb from '@pulumi/pulumi/proto/resource_pb.js';
import type {Severity} from '../deploy/events.ts';
import type {Goal, ReadGoal} from '../deploy/goal.ts';
import {BrokenStep} from '../deploy/run.ts';
import type {InvokeGoal} from '../deploy/steps/invoke.ts';
import {EngineError, messageOf} from '../engine-error.ts';
import type {ResourceState} from '../state/resource-state.ts';
import {versionFault} from '../workspace/version-range.ts';
import {decodeGoal, decodeReadGoal} from './decode-goal.ts';
import {decodeStruct, emptyMessage, encodeStruct} from './wire.ts';

/** What the server passes on; made of a running deployment. */
export interface MonitorHandler {
  register(goal: Goal): Promise<ResourceState>;
  read(goal: ReadGoal): Promise<ResourceState>;
  /** Calls a function of a provider. */
  invoke(goal: InvokeGoal): Promise<InvokeResult>;
  registerOutputs(urn: string, outputs: PropertyMap): Promise<void>;
  /** A resource of this run by its URN, for `pulumi:pulumi:getResource`. */
  find(urn: string): ResourceState | undefined;
  isSkipped(urn: string): boolean;
  log(severity: Severity, urn: string, message: string): void;
  /** The request could not even be understood. */
  refuse(urn: string, error: unknown): Error;
}

const FEATURES: ReadonlySet<string> = new Set([
  'secrets', 'resourceReferences', 'deletedWith', 'parameterization', 'aliasSpecs',
]); // biome-ignore format: a list
const SEVERITIES: readonly Severity[] = ['debug', 'info', 'warning', 'error'];
/** Result.SKIP; the generated types leave it out. */
const SKIPPED: number = 2;
const UNLIMITED = {'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1} as const;

export type MonitorServer = {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** The program said that it has registered everything. */
  readonly hasSignalled: () => boolean;
  /** Waits for the registrations in progress. */
  readonly idle: () => Promise<void>;
  readonly stop: () => void;
};

export async function startMonitorServer(
  handler: MonitorHandler,
  options: {projectFolder: string},
): Promise<MonitorServer> {
  const server = new Server(UNLIMITED);
  const running = new Set<Promise<unknown>>();
  let signalled = false;
  const unary = <Request, Response>(
    answer: (request: Request) => Promise<Response>,
  ): handleUnaryCall<Request, Response> => answering(running, answer);
  server.addService(resourceGrpc.ResourceMonitorService, {
    ...monitorMethods(handler, options.projectFolder, unary),
    signalAndWaitForShutdown: unary(async () => {
      signalled = true;
      return emptyMessage();
    }),
  } as UntypedServiceImplementation);
  server.addService(engineGrpc.EngineService, engineMethods(handler, unary) as UntypedServiceImplementation);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    address: `127.0.0.1:${port}`,
    hasSignalled: () => signalled,
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running);
    },
    stop: () => server.forceShutdown(),
  };
}

type Unary = <Request, Response>(answer: (request: Request) => Promise<Response>) => handleUnaryCall<Request, Response>;

function answering<Request, Response>(
  running: Set<Promise<unknown>>,
  answer: (request: Request) => Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (call: ServerUnaryCall<Request, Response>, reply: sendUnaryData<Response>) => {
    const work = answer(call.request);
    running.add(work);
    work
      .then(
        response => reply(null, response),
        (error: unknown) => reply(toServiceError(error), null),
      )
      .finally(() => running.delete(work));
  };
}

const toServiceError = (error: unknown): ServiceError =>
  Object.assign(new Error(messageOf(error)), {
    code: error instanceof Unimplemented ? status.UNIMPLEMENTED : status.UNKNOWN,
    details: messageOf(error),
    metadata: new Metadata(),
  });

class Unimplemented extends Error {}

function monitorMethods(handler: MonitorHandler, projectFolder: string, unary: Unary) {
  const unimplemented = (what: string) =>
    unary(async () => {
      throw new Unimplemented(`${what} is not supported by the embedded engine`);
    });
  return {
    getDeploymentInfo: unimplemented('GetDeploymentInfo'),
    supportsFeature: unary(async (request: SupportsFeatureRequest) => {
      const response = new resourcePb.SupportsFeatureResponse();
      response.setHassupport(FEATURES.has(request.getId()));
      return response;
    }),
    registerResource: unary((request: RegisterResourceRequest) => register(handler, request, projectFolder)),
    readResource: unary((request: ReadResourceRequest) => read(handler, request, projectFolder)),
    registerResourceOutputs: unary(async (request: RegisterResourceOutputsRequest) => {
      await handler.registerOutputs(request.getUrn(), decodeStruct(request.getOutputs()));
      return emptyMessage();
    }),
    invoke: unary((request: ResourceInvokeRequest) => invoke(handler, request)),
    call: unimplemented('calling a method of a remote component'),
    existsResource: unimplemented('ExistsResource'),
    registerStackTransform: unimplemented('a stack transform'),
    registerStackInvokeTransform: unimplemented('an invoke transform'),
    registerResourceHook: unimplemented('a resource hook'),
    registerErrorHook: unimplemented('an error hook'),
    registerPackage: unimplemented('a parameterized package'),
  };
}

async function register(handler: MonitorHandler, request: RegisterResourceRequest, projectFolder: string) {
  let goal: Goal;
  try {
    goal = decodeGoal(request, projectFolder);
  } catch (error) {
    throw handler.refuse('', error);
  }
  const response = new resourcePb.RegisterResourceResponse();
  let state: ResourceState;
  try {
    state = await handler.register(goal);
  } catch (error) {
    if (!(error instanceof BrokenStep && request.getSupportsresultreporting())) throw error;
    response.setUrn(error.urn);
    response.setResult(error.result === 'failed' ? resourcePb.Result.FAIL : SKIPPED);
    return response;
  }
  response.setUrn(state.urn);
  response.setId(state.id);
  const outputs = goal.custom || Object.keys(state.outputs).length > 0 ? state.outputs : {};
  response.setObject(encodeStruct(outputs, {keepSecrets: request.getAcceptsecrets()}));
  response.setResult(resourcePb.Result.SUCCESS);
  if (handler.isSkipped(state.urn)) response.setUnknown(true);
  return response;
}

async function read(handler: MonitorHandler, request: ReadResourceRequest, projectFolder: string) {
  const state = await handler.read(decodeReadGoal(request, projectFolder));
  const response = new resourcePb.ReadResourceResponse();
  response.setUrn(state.urn);
  const {id: unknownId, ...outputs} = state.outputs;
  const properties = unknownId === UNKNOWN ? outputs : state.outputs;
  response.setProperties(encodeStruct(properties, {keepSecrets: request.getAcceptsecrets()}));
  return response;
}

async function invoke(handler: MonitorHandler, request: ResourceInvokeRequest) {
  if (request.getTok() !== 'pulumi:pulumi:getResource') return invokeProvider(handler, request);
  const urn = String(decodeStruct(request.getArgs())['urn'] ?? '');
  const state = handler.find(urn);
  if (state === undefined) throw handler.refuse(urn, new EngineError(`unknown resource ${urn}`));
  const result: Record<string, PropertyValue> = {urn, id: state.id, state: state.outputs};
  const response = new resourcePb.ResourceInvokeResponse();
  response.setReturn(encodeStruct(result));
  return response;
}

async function invokeProvider(handler: MonitorHandler, request: ResourceInvokeRequest) {
  const {result, failures} = await handler.invoke({
    token: request.getTok(),
    args: decodeStruct(request.getArgs()),
    provider: request.getProvider(),
    version: request.getVersion(),
    pluginDownloadUrl: request.getPlugindownloadurl(),
  });
  const response = new resourcePb.ResourceInvokeResponse();
  response.setReturn(encodeStruct(result, {keepSecrets: true}));
  response.setFailuresList(
    failures.map(({property, reason}) => {
      const failure = new providerPb.CheckFailure();
      failure.setProperty(property);
      failure.setReason(reason);
      return failure;
    }),
  );
  return response;
}

/** What the SDK says when a feature is answered "no"; the user has no CLI to update. */
const SDK_WORDS = /The Pulumi CLI does not support (.*?)\.? Please update the Pulumi CLI\.?/;

function engineMethods(handler: MonitorHandler, unary: Unary) {
  let rootUrn = '';
  return {
    log: unary(async (request: LogRequest) => {
      const message = request
        .getMessage()
        .replace(
          SDK_WORDS,
          (_, what: string) => `the embedded engine does not support ${what}: leave it out, or use the Pulumi CLI`,
        );
      handler.log(SEVERITIES[request.getSeverity()] ?? 'info', request.getUrn(), message);
      return emptyMessage();
    }),
    getRootResource: unary(async () => {
      const response = new enginePb.GetRootResourceResponse();
      response.setUrn(rootUrn);
      return response;
    }),
    setRootResource: unary(async (request: SetRootResourceRequest) => {
      rootUrn = request.getUrn();
      return new enginePb.SetRootResourceResponse();
    }),
    startDebugging: unary(async () => emptyMessage()),
    requirePulumiVersion: unary(async (request: RequirePulumiVersionRequest) => {
      const fault = versionFault(request.getPulumiVersionRange());
      if (fault !== undefined) throw new EngineError(`requirePulumiVersion: ${fault}`);
      return new enginePb.RequirePulumiVersionResponse();
    }),
  };
}
