// SPDX-License-Identifier: Apache-2.0
/** A call of grpc.health.v1.Health/Check. Ref: kubernetes v1.36 pkg/probe/grpc/grpc.go; grpc/grpc doc/health-checking.md. */
import type {ClientHttp2Stream} from 'node:http2';
import type {Socket} from 'node:net';
import {TLSSocket} from 'node:tls';
import {Code, ConnectError, createClient} from '@connectrpc/connect';
import {createGrpcTransport, Http2SessionManager} from '@connectrpc/connect-node';
import {
  Health,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '@palisade/ids-wire/gen/grpc/health/v1/health_pb.ts';
import {BODY_BYTES_MAX} from '../limits.ts';
import type {CheckTarget, GrpcMethod} from '../port.ts';
import type {Timers} from '../system.ts';
import type {Attempt} from './attempt.ts';
import {originOf} from './http-client.ts';
import {type CheckPorts, openSocket} from './open-socket.ts';

const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(ServingStatus).map(([name, value]) => [value, name]));

/** Of a call that ended with an error. */
const failBy = (
  attempt: Attempt,
  error: unknown,
  {method, timeoutMs}: {method: GrpcMethod; timeoutMs: number},
): void => {
  if (!(error instanceof ConnectError)) attempt.failBy(error);
  else if (error.code === Code.DeadlineExceeded) attempt.timeOut(timeoutMs);
  else if (error.cause !== undefined)
    attempt.failBy(error); // of the connection, or of HTTP/2
  else attempt.fail(callFailure(error, method.service));
};

const callFailure = (error: ConnectError, service: string): string => {
  switch (error.code) {
    case Code.Canceled:
      return 'connection closed by the peer while waiting for the answer';
    case Code.Unimplemented:
      return 'the server has no service grpc.health.v1.Health';
    case Code.NotFound:
      return `grpc.health.v1.Health does not know the service "${service}"`;
    default:
      return `the call of grpc.health.v1.Health failed with ${Code[error.code]}`;
  }
};

export const checkGrpc = (attempt: Attempt, target: CheckTarget, method: GrpcMethod, ports: CheckPorts): void => {
  const {ip, port} = target;
  openSocket(attempt, {ip, port, tls: method.tls, protocols: ['h2']}, ports, socket => {
    socket.on('error', error => attempt.failBy(error));
    attempt.closeWith(() => socket.destroy());
    attempt.waitsFor = 'waiting for the answer';
    if (socket instanceof TLSSocket && socket.alpnProtocol !== 'h2')
      attempt.fail('the peer does not offer HTTP/2 over TLS (ALPN), which gRPC needs');
    else call(attempt, target, method, socket, ports.timers);
  });
};

/**
 * Ends the check when the stream or the connection ends without response headers. Connect does not reject a call whose stream is
 * reset with NO_ERROR. An error gives a better reason: it is emitted first, and rejects the call before the timer runs.
 */
class Session extends Http2SessionManager {
  readonly #attempt: Attempt;
  readonly #timers: Timers;
  #isAnswered = false;

  constructor(origin: string, socket: Socket, attempt: Attempt, timers: Timers) {
    super(origin, {}, {createConnection: () => socket});
    this.#attempt = attempt;
    this.#timers = timers;
    socket.once('close', () => this.#ended('connection closed by the peer'));
  }

  override async request(...args: Parameters<Http2SessionManager['request']>): Promise<ClientHttp2Stream> {
    const stream = await super.request(...args);
    stream.once('response', () => {
      this.#isAnswered = true;
    });
    return stream.once('close', () => this.#ended('HTTP/2 stream canceled by the peer'));
  }

  #ended(what: string): void {
    const {waitsFor} = this.#attempt;
    this.#timers.after(0, () => {
      if (!this.#isAnswered) this.#attempt.fail(`${what} while ${waitsFor}`);
    });
  }
}

const call = (attempt: Attempt, target: CheckTarget, method: GrpcMethod, socket: Socket, timers: Timers): void => {
  const {tls, service} = method;
  const {timeoutMs} = target;
  const origin = originOf(target, {tls, host: undefined, headers: []});
  const session = new Session(origin, socket, attempt, timers);
  // Only of a good one: the session of a failed one follows its socket, and `abort` would take away who listens to its last error.
  attempt.partWith(done => {
    session.abort();
    done();
  });
  const transport = createGrpcTransport({
    ...{baseUrl: origin, sessionManager: session},
    // The peer is not trusted: what it compressed could become anything, in the thread of all checks.
    ...{acceptCompression: [], readMaxBytes: BODY_BYTES_MAX},
  });
  const client = createClient(Health, transport);
  client.check({service}, {timeoutMs}).then(
    ({status}) => {
      if (status === ServingStatus.SERVING) attempt.pass();
      else attempt.fail(`grpc.health.v1.Health says ${NAMES.get(status) ?? status}`);
    },
    (error: unknown) => failBy(attempt, error, {method, timeoutMs}),
  );
};
