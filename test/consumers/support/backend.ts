// SPDX-License-Identifier: Apache-2.0
/** `backend.ts HOST PORT FILE`: a backend whose health check passes as long as the file exists. */
import {existsSync} from 'node:fs';
import {createServer} from 'node:http';

const [host, port, file = ''] = process.argv.slice(2);
createServer((_, response) => {
  response.statusCode = existsSync(file) ? 200 : 503;
  response.end();
}).listen(Number(port), host, () => process.stdout.write('ready\n'));
