// SPDX-License-Identifier: Apache-2.0
export * from './all-pages.ts';
export {type Api, createApi} from './connection.ts';
export * from './hooks.tsx';
export * from './limiter.ts';
export {isCounted, type LivePhase, type LiveState} from './live/live-list.ts';
export * from './rights/right.ts';
export type {Verdict} from './rights/rights-book.ts';
export type {Session, SessionState, SignIn} from './session.ts';
export * from './warnings.ts';
export * from './words.ts';
