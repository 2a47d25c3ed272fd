// SPDX-License-Identifier: Apache-2.0
/** As decoded: what is absent is undefined. */
export type CheckHeader = {readonly name?: string; readonly value?: string};
export type HttpGetCheck = {
  readonly path?: string;
  readonly scheme?: string;
  readonly host?: string;
  readonly httpHeaders?: readonly CheckHeader[];
  readonly expectedStatuses?: readonly string[];
};
export type WebSocketCheck = Omit<HttpGetCheck, 'expectedStatuses'>;
export type CheckTlsConfig = {
  readonly serverName?: string;
  /** Base64 of PEM. */
  readonly caBundle?: string;
  readonly insecureSkipVerify?: boolean;
};
export type EndpointCheck = {
  readonly httpGet?: HttpGetCheck;
  readonly tcpSocket?: Record<string, never>;
  readonly tls?: Record<string, never>;
  readonly grpc?: {readonly service?: string; readonly tls?: boolean};
  readonly webSocket?: WebSocketCheck;
  readonly tlsConfig?: CheckTlsConfig;
  readonly port?: number;
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
  readonly initialDelaySeconds?: number;
  readonly jitterPercent?: number;
};
export type CheckedPort = {
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: string;
  readonly appProtocol?: string;
  readonly check?: EndpointCheck;
};
