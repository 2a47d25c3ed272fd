// SPDX-License-Identifier: Apache-2.0
/**
 * The Service `kubernetes` in the namespace `default`: made at the start, and back a second after it was deleted (upstream looks
 * every ten). An attempt that fails is made again after ever longer times, and at once when a Service goes. Its endpoints are
 * nobody's, as with upstream's `--endpoint-reconciler-type=none`: a server cannot know under which address others reach it, so
 * an operator who wants it to lead here registers Endpoints `kubernetes` with that address.
 * Ref: kubernetes v1.36 pkg/controlplane/controller/kubernetesservice/controller.go.
 */
import {
  type Bootstrap,
  type ControllerFactory,
  createObject,
  type KindDefinition,
  type KubeObject,
  type RequestContext,
  StatusError,
  type Timer,
  trackFields,
} from '@palisade/apiserver';
import {CLUSTER_IP, SINGLE_STACK} from './types.ts';

const NAMESPACE = 'default';
const NAME = 'kubernetes';
const PORT = 443;
/** Upstream's `--secure-port`. */
const TARGET_PORT = 6443;
const RETURN_MS = 1_000;
/** Attempts that fail come ever more rarely, up to this. */
const RETRY_MAX_MS = 60_000;

const serviceAt = (clusterIP: string): KubeObject => ({
  metadata: {name: NAME, namespace: NAMESPACE, labels: {component: 'apiserver', provider: 'kubernetes'}},
  spec: {
    ports: [{name: 'https', protocol: 'TCP', port: PORT, targetPort: TARGET_PORT}],
    clusterIP,
    type: CLUSTER_IP,
    sessionAffinity: 'None',
    ipFamilyPolicy: SINGLE_STACK,
  },
  status: {loadBalancer: {}},
});

/** An address that somebody has is left to them; the Service is then made with the next start, or when it is tried again. */
const makeService = async (context: RequestContext, clusterIP: string): Promise<void> => {
  if (context.registry.get(NAMESPACE, NAME) !== undefined) return;
  const service = serviceAt(clusterIP);
  context.kind.applyDefaults?.(service);
  const {server} = context.services.compat.managers;
  try {
    await createObject(context, trackFields(context, server, undefined, service, undefined), {dryRun: false});
  } catch (error) {
    if (!(error instanceof StatusError && error.status.reason === 'AlreadyExists')) throw error; // a client was quicker
  }
};

export const kubernetesServiceBootstrap =
  (kind: KindDefinition, clusterIP: string): Bootstrap =>
  async host => {
    try {
      await makeService(host.contextFor(kind, NAMESPACE), clusterIP);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      host.log.error({err: error, clusterIP}, 'service kubernetes could not be made');
    }
  };

export const kubernetesServiceController =
  (kind: KindDefinition, clusterIP: string): ControllerFactory =>
  host => {
    let timer: Timer | undefined;
    let running: Promise<void> | undefined;
    let stopped = false;
    let unsubscribe: (() => void) | undefined;
    let delayMs = RETURN_MS;
    let reported: string | undefined;
    const attempt = async (): Promise<void> => {
      try {
        await makeService(host.contextFor(kind, NAMESPACE), clusterIP);
        if (reported !== undefined) host.log.info({clusterIP}, 'service kubernetes made');
        [delayMs, reported] = [RETURN_MS, undefined];
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        if (why !== reported) host.log.error({err: error, clusterIP}, 'service kubernetes could not be made, retrying');
        reported = why;
        delayMs = Math.min(2 * delayMs, RETRY_MAX_MS);
        lookLater();
      }
    };
    const lookLater = (): void => {
      if (stopped) return;
      timer ??= host.services.timers.after(delayMs, () => {
        timer = undefined;
        running = attempt();
      });
    };
    /** What has gone may have been in the way. */
    const lookSoon = (): void => {
      if (delayMs > RETURN_MS) {
        timer?.cancel();
        timer = undefined;
        delayMs = RETURN_MS;
      }
      lookLater();
    };
    return {
      start: () => {
        const {cache} = host.services.registryOf(kind);
        unsubscribe = cache.onEvent(({type, object}) => {
          if (type !== 'DELETED') return;
          if (reported !== undefined || (object.namespace === NAMESPACE && object.name === NAME)) lookSoon();
        });
        if (cache.get(NAMESPACE, NAME) === undefined) lookLater();
      },
      stop: async () => {
        stopped = true;
        unsubscribe?.();
        timer?.cancel();
        await running;
      },
    };
  };
