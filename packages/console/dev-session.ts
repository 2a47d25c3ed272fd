// SPDX-License-Identifier: Apache-2.0
/**
 * Of development only: plays `/console/session` in front of a server that has none, or that the browser does not reach by its own
 * origin. The token is kept in this process; requests that are passed on carry it.
 */
import type {IncomingMessage} from 'node:http';
import type {Connect, Plugin, PreviewServer, ViteDevServer} from 'vite';

type User = {readonly username: string; readonly groups?: readonly string[]};

let token: string | undefined;
/** For the proxy. */
export const authorization = (): Record<string, string> =>
  token === undefined ? {} : {authorization: `Bearer ${token}`};

/** Who the server takes us for; undefined: it wants to know. */
async function whoAmI(server: string): Promise<User | undefined> {
  const answer = await fetch(`${server}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
    method: 'POST',
    headers: {'content-type': 'application/json', ...authorization()},
    body: JSON.stringify({apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview'}),
  });
  if (!answer.ok) return undefined;
  return ((await answer.json()) as {status: {userInfo: User}}).status.userInfo;
}

async function bodyOf(request: IncomingMessage): Promise<{token?: string}> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return JSON.parse(body === '' ? '{}' : body) as {token?: string};
}

async function answerTo(request: IncomingMessage, server: string): Promise<readonly [status: number, body: object]> {
  if (request.method === 'POST') ({token} = await bodyOf(request));
  if (request.method === 'DELETE') {
    token = undefined;
    return [204, {}];
  }
  const user = await whoAmI(server);
  const method = token === undefined ? 'none' : 'token';
  if (user !== undefined && !(method === 'none' && user.username === 'system:anonymous'))
    return [200, {user: {groups: [], ...user}, method, csrfToken: method === 'none' ? '' : 'development'}];
  token = undefined;
  if (request.method === 'POST') return [401, {message: 'the server does not know this token'}];
  return [401, {signIn: {token: true, certificate: false}}];
}

export function devSession(server: string): Plugin {
  const handle: Connect.NextHandleFunction = (request, response, next) => {
    answerTo(request, server).then(([status, body]) => {
      response.writeHead(status, {'content-type': 'application/json'});
      response.end(status === 204 ? undefined : JSON.stringify(body));
    }, next);
  };
  const use = ({middlewares}: ViteDevServer | PreviewServer): void => {
    middlewares.use('/console/session', handle);
  };
  return {name: 'dev-session', configureServer: use, configurePreviewServer: use};
}
