// SPDX-License-Identifier: Apache-2.0
import {EventEmitter} from 'node:events';
import {beforeEach, describe, expect, test} from 'vitest';
import type {HttpResponse} from './exchange.ts';
import {UnreadAnswers} from './unread-answers.ts';

const KIB = 1024;
const [PER_USER, IN_ALL] = [1024 * KIB, 2048 * KIB];

let due: (() => void)[] = [];
let lines: object[] = [];
let unread: UnreadAnswers;
beforeEach(() => {
  [due, lines] = [[], []];
  const after = (_ms: number, action: () => void) => {
    due.push(action);
    return {cancel: () => {}};
  };
  unread = new UnreadAnswers({
    limits: {unreadBytesMax: IN_ALL, unreadBytesPerUserMax: PER_USER, unreadMsMax: 60_000},
    timers: {after},
    log: {warn: fields => void lines.push(fields)},
  });
});

/** A twelfth of `unreadMsMax` passes. */
const look = (times: number): void => {
  for (let i = 0; i < times; i++) for (const action of due.splice(0)) action();
};

class FakeResponse extends EventEmitter {
  destroyed = false;
  writableLength = 1;
  readonly req = {socket: {destroy: () => {}}};

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}
const opened = (user: string, bytes: number): {response: FakeResponse; progressed: () => void} => {
  const response = new FakeResponse();
  const account = unread.accountOf(response as unknown as HttpResponse, '/path', user);
  account.hold(bytes);
  return {response, progressed: () => account.progressed()};
};

describe('F-18 bytes of unread answers', () => {
  test('count until the answer closes, with what the server keeps for it besides', () => {
    const {response} = opened('jane', 100 * KIB);
    expect(unread.bytes).toBe(116 * KIB);
    response.emit('close');
    expect(unread.bytes).toBe(0);
  });

  test('count once for an answer that is held again, by the larger figure', () => {
    const response = new FakeResponse();
    const account = unread.accountOf(response as unknown as HttpResponse, '/path', 'jane');
    account.hold(100 * KIB);
    account.hold(50 * KIB);
    account.hold(300 * KIB);
    expect(unread.bytes).toBe(316 * KIB);
    response.emit('close');
    expect(unread.bytes).toBe(0);
  });

  test('do not count where all is with the system already, or the client is gone', () => {
    const response = new FakeResponse();
    const account = unread.accountOf(response as unknown as HttpResponse, '/path', 'jane');
    response.writableLength = 0;
    account.holdUnsent(100);
    response.destroyed = true;
    account.hold(100);
    expect(unread.bytes).toBe(0);
  });

  test('are bounded per user; another user still has room', () => {
    opened('jane', 900 * KIB);
    expect(unread.fault('jane', 92 * KIB)).toBeUndefined();
    expect(unread.fault('jane', 93 * KIB)).toBe(
      'too many unread answers of user "jane": limit is 1 MiB; read or close them, then try again',
    );
    expect(unread.fault('joe', 900 * KIB)).toBeUndefined();
  });

  test('are bounded in all', () => {
    for (const user of ['a', 'b']) opened(user, 1000 * KIB);
    expect(unread.fault('c', 0)).toBeUndefined();
    expect(unread.fault('c', 1)).toBe('too many unread answers of all users: limit is 2 MiB; try again');
  });

  test('may be more for refusals, by a quarter', () => {
    opened('jane', 1000 * KIB);
    expect(unread.fault('jane', 100 * KIB)).toBeDefined();
    expect(unread.fault('jane', 100 * KIB, true)).toBeUndefined();
    expect(unread.fault('jane', 300 * KIB, true)).toBeDefined();
  });
});

describe('F-18 an answer of which its client takes nothing', () => {
  test('is ended after 60 s, with one line for all of them', () => {
    const [a, b] = [opened('jane', 1), opened('joe', 1)];
    look(12);
    expect([a.response.destroyed, b.response.destroyed]).toEqual([false, false]);
    look(1);
    expect([a.response.destroyed, b.response.destroyed]).toEqual([true, true]);
    expect(unread.bytes).toBe(0);
    expect(unread.ended).toBe(2);
    expect(lines).toEqual([{requests: 2, user: 'jane', path: '/path', idleSeconds: 60}]);
    expect(due).toEqual([]); // nothing is looked at while nothing waits
  });

  test('stays while the client takes something now and then', () => {
    const {response, progressed} = opened('jane', 1);
    for (let i = 0; i < 5; i++) {
      look(12);
      progressed();
    }
    expect(response.destroyed).toBe(false);
    look(13);
    expect(response.destroyed).toBe(true);
  });

  test('stays while the server has nothing for the client', () => {
    const {response} = opened('jane', 1);
    response.writableLength = 0;
    look(50);
    expect(response.destroyed).toBe(false);
    response.writableLength = 1;
    look(13);
    expect(response.destroyed).toBe(true);
  });
});

describe('F-18 the body of a request', () => {
  const sent = (bytes: number) => {
    const response = Object.assign(new FakeResponse(), {writableLength: 0});
    const account = unread.accountOf(response as unknown as HttpResponse, '/path', 'jane');
    account.holdBody(bytes);
    return {response, account};
  };

  test('counts while it comes', () => {
    const {account} = sent(0);
    account.holdBody(100 * KIB);
    expect(unread.bytes).toBe(116 * KIB);
    account.releaseBody();
    expect(unread.bytes).toBe(0);
    account.hold(10 * KIB);
    expect(unread.bytes).toBe(26 * KIB);
  });

  test('of which nothing comes for 60 s ends the request', () => {
    const {response, account} = sent(0);
    look(12);
    account.holdBody(1);
    look(12);
    expect(response.destroyed).toBe(false);
    look(1);
    expect(response.destroyed).toBe(true);
    expect(unread.bytes).toBe(0);
  });

  test('that is whole ends nothing, however long the server takes', () => {
    const {response, account} = sent(1);
    account.releaseBody();
    look(50);
    expect(response.destroyed).toBe(false);
  });
});
