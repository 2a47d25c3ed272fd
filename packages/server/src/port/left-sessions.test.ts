// SPDX-License-Identifier: Apache-2.0
import {EventEmitter} from 'node:events';
import type {ServerHttp2Session} from 'node:http2';
import {ManualTime} from '@palisade/ids/testing';
import {expect, test} from 'vitest';
import {endStreamsOfLeft} from './left-sessions.ts';
import {OpenStreams} from './open-streams.ts';

/** A session as Node tells of it, and which of its streams were ended. */
const begin = () => {
  const [session, time, ended] = [new EventEmitter(), new ManualTime(0), [] as string[]];
  endStreamsOfLeft(session as ServerHttp2Session, new OpenStreams(session as ServerHttp2Session), {
    timers: time,
    graceMs: 60_000,
  });
  const open = (name: string, state: {rstCode?: number; closed?: boolean}): EventEmitter => {
    const stream = Object.assign(new EventEmitter(), {
      closed: false,
      ...state,
      destroy: () => {
        ended.push(name);
        stream.emit('close');
      },
    });
    session.emit('stream', stream);
    return stream;
  };
  return {session, time, ended, open};
};

test('what a client has reset with NO_ERROR is ended at once; other codes are left to Node', () => {
  const {ended, open} = begin();
  open('cancelled', {rstCode: 8}).emit('aborted');
  open('reset', {rstCode: 0}).emit('aborted');
  expect(ended).toEqual(['reset']);
});

test('a while after the client has left, what is over is ended, and what is under way goes on', () => {
  const {session, time, ended, open} = begin();
  open('over', {closed: true});
  open('under way', {});
  open('gone', {closed: true}).emit('close');
  session.emit('goaway');
  time.advance(59_999);
  expect(ended).toEqual([]);
  time.advance(1);
  expect(ended).toEqual(['over']);
});

test('of a session that has ended nothing waits', () => {
  const {session, time, ended, open} = begin();
  open('over', {closed: true});
  session.emit('goaway');
  session.emit('close');
  time.advance(120_000);
  expect(ended).toEqual([]);
});
