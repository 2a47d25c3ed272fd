// SPDX-License-Identifier: Apache-2.0
/** How a port is checked: one schema for ports of groups and of registrations. Names as in Kubernetes probes where they mean the same. */
import type {TypeTable} from '@palisade/kube-wire';
import {bytes, flag, int32, struct, structList, structType, tableOf, text, textSet} from '../struct-fields.ts';

export const PLATFORM_PREFIX = 'io.platform.v1alpha1';
const CHECK = `${PLATFORM_PREFIX}.EndpointCheck`;
const HTTP = `${PLATFORM_PREFIX}.HTTPGetCheck`;
const TCP = `${PLATFORM_PREFIX}.TCPSocketCheck`;
const TLS = `${PLATFORM_PREFIX}.TLSCheck`;
const GRPC = `${PLATFORM_PREFIX}.GRPCCheck`;
const WEB_SOCKET = `${PLATFORM_PREFIX}.WebSocketCheck`;
const TLS_CONFIG = `${PLATFORM_PREFIX}.CheckTLSConfig`;
const HEADER = `${PLATFORM_PREFIX}.CheckHeader`;
const PORT = `${PLATFORM_PREFIX}.CheckedPort`;

/** A port with an optional check. */
export const CHECKED_PORT = PORT;

const path = text('path', 'Path to ask for, at most 2048 bytes; `/` when not given.');
const host = text('host', 'Value of the Host header, and the server name of TLS; the address when not given.');
const headers = structList(HEADER, 'httpHeaders', 'Headers to send.');

export const checkStructs: TypeTable = tableOf(
  structType(PORT, 'CheckedPort is a port that members offer, and how it is checked.', [
    text('name', 'Name of the port, a DNS label. Needed when there is more than one port.'),
    int32('port', 'Port number, 1 to 65535.', {required: true, keepEmpty: true}),
    text('protocol', 'TCP, UDP or SCTP.', {default: 'TCP'}),
    text(
      'appProtocol',
      'Application protocol, as for Endpoints. A check without a method takes the one that fits it.',
      {
        pointer: true,
      },
    ),
    struct(CHECK, 'check', 'How the port is checked. Without one, a member is ready at this port at once.', {
      pointer: true,
    }),
  ]),
  structType(
    CHECK,
    'EndpointCheck says how a port is checked. At most one method; none: by appProtocol, else tcpSocket.',
    [
      struct(HTTP, 'httpGet', 'An HTTP request.', {pointer: true}),
      struct(TCP, 'tcpSocket', 'A TCP connection.', {pointer: true}),
      struct(TLS, 'tls', 'A TLS handshake.', {pointer: true}),
      struct(GRPC, 'grpc', 'A call of grpc.health.v1.Health/Check.', {pointer: true}),
      struct(WEB_SOCKET, 'webSocket', 'A WebSocket upgrade.', {pointer: true}),
      struct(TLS_CONFIG, 'tlsConfig', 'How the certificate of the member is judged.', {pointer: true}),
      int32('port', 'Port to connect to; the checked port when not given.', {pointer: true}),
      int32('periodSeconds', 'Seconds between two checks of a member, 1 to 3600; 10 when not given.', {default: 10}),
      int32('timeoutSeconds', 'Seconds until a check has failed, 1 to 300; 1 when not given.', {default: 1}),
      int32(
        'successThreshold',
        'Checks in a row that have to pass until a member is ready, 1 to 1000; 1 when not given.',
        {
          default: 1,
        },
      ),
      int32(
        'failureThreshold',
        'Checks in a row that have to fail until a member is not ready, 1 to 1000; 3 when not given.',
        {
          default: 3,
        },
      ),
      int32('initialDelaySeconds', 'Seconds from the time a member is new until its first check, 0 to 86400.'),
      int32('jitterPercent', 'By how much of its period a check may come early, 0 to 50; 10 when not given.', {
        pointer: true,
        default: 10,
      }),
    ],
  ),
  structType(HTTP, 'HTTPGetCheck is an HTTP request.', [
    path,
    text('scheme', 'HTTP or HTTPS; by appProtocol when not given, else HTTP.'),
    host,
    headers,
    textSet('expectedStatuses', 'Status codes that pass, such as `200` or `200-299`; `200-399` when not given.'),
  ]),
  structType(TCP, 'TCPSocketCheck is a TCP connection.', []),
  structType(TLS, 'TLSCheck is a TLS handshake.', []),
  structType(GRPC, 'GRPCCheck is a call of grpc.health.v1.Health/Check.', [
    text('service', 'Service to ask for; the whole server when not given.'),
    flag('tls', 'Over TLS.'),
  ]),
  structType(WEB_SOCKET, 'WebSocketCheck is a WebSocket upgrade.', [
    path,
    text('scheme', 'WS or WSS; by appProtocol when not given, else WS.'),
    host,
    headers,
  ]),
  structType(TLS_CONFIG, 'CheckTLSConfig says how a certificate is judged.', [
    text('serverName', 'Server name (SNI) to ask for and to verify; `host`, else the address when not given.'),
    bytes(
      'caBundle',
      'PEM certificates that sign what members show, at most 64 KiB decoded; those of the system when not given.',
    ),
    flag('insecureSkipVerify', 'Take any certificate.'),
  ]),
  structType(HEADER, 'CheckHeader is a header to send.', [
    text('name', 'Name of the header.', {required: true, keepEmpty: true}),
    text('value', 'Value of the header.', {required: true, keepEmpty: true}),
  ]),
);
