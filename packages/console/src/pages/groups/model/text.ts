// SPDX-License-Identifier: Apache-2.0
/** Parts of groups in words. */
import type {CheckedPort, EndpointCheck, LabelSelector} from './kinds.ts';

/** `http:8080`, `9090/UDP`. */
export const portText = ({
  name = '',
  port,
  protocol = 'TCP',
}: Pick<CheckedPort, 'name' | 'port' | 'protocol'>): string =>
  `${name === '' ? '' : `${name}:`}${port}${protocol === 'TCP' ? '' : `/${protocol}`}`;

/** As the API takes it in `labelSelector`; '' selects all. */
export function selectorText({matchLabels = {}, matchExpressions = []}: LabelSelector): string {
  const equal = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const sets = matchExpressions.map(({key, operator, values = []}) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator === 'NotIn' ? 'notin' : 'in'} (${values.join(',')})`;
  });
  return [...equal, ...sets].join(',');
}

const methodText = ({httpGet, tls, grpc, webSocket, tcpSocket}: EndpointCheck, appProtocol = ''): string => {
  if (httpGet !== undefined) return `GET ${httpGet.path ?? '/'}${httpGet.scheme === 'HTTPS' ? ' over TLS' : ''}`;
  if (tls !== undefined) return 'TLS handshake';
  if (grpc !== undefined) return `gRPC health${grpc.service === undefined ? '' : ` of ${grpc.service}`}`;
  if (webSocket !== undefined) return `WebSocket ${webSocket.path ?? '/'}`;
  return tcpSocket === undefined && appProtocol !== '' ? `check of ${appProtocol}` : 'TCP connection';
};

export const periodOf = ({check}: Pick<CheckedPort, 'check'>): number | undefined =>
  check === undefined ? undefined : (check.periodSeconds ?? 10);

/** `GET /healthz every 5s, timeout 1s, ready after 1, not ready after 3`. */
export function checkText({check, appProtocol}: CheckedPort): string {
  if (check === undefined) return 'no check: always ready';
  const {timeoutSeconds = 1, successThreshold = 1, failureThreshold = 3, port} = check;
  const where = port === undefined ? '' : ` at port ${port}`;
  return `${methodText(check, appProtocol)}${where} every ${periodOf({check})}s, timeout ${timeoutSeconds}s, ready after ${successThreshold}, not ready after ${failureThreshold}`;
}
