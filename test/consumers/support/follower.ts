// SPDX-License-Identifier: Apache-2.0
/**
 * `follower.ts URL CA TOKEN`: prints every event of one watch, one JSON object a line, with the time at which it came. URL is that of
 * a collection, with a query. A watch that ends is resumed where it was; what cannot be resumed is printed, and ends the program.
 */
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {Agent, get} from 'node:https';
import {createInterface} from 'node:readline';
import {setTimeout as delay} from 'node:timers/promises';

const RETRY_MS = 20;
const [url = '', caFile = '', token = ''] = process.argv.slice(2);
const agent = new Agent({ca: readFileSync(caFile)});

type Event = {readonly type: string; readonly object: {readonly metadata: {readonly resourceVersion?: string}}};

let version = '';
for (;;) {
  try {
    const from = version === '' ? '' : `&resourceVersion=${version}`;
    const request = get(`${url}&watch=1&allowWatchBookmarks=true${from}`, {
      agent,
      headers: {authorization: `Bearer ${token}`},
    });
    const [response] = await once(request, 'response');
    for await (const line of createInterface({input: response})) {
      const event = JSON.parse(line) as Event;
      process.stdout.write(`${JSON.stringify({atMs: Date.now(), ...event})}\n`);
      if (event.type === 'ERROR') process.exit(1);
      version = event.object.metadata.resourceVersion ?? version;
    }
  } catch {
    // the server is away
  }
  await delay(RETRY_MS);
}
