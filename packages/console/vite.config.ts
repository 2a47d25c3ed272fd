// SPDX-License-Identifier: Apache-2.0
import {join} from 'node:path';
import react from '@vitejs/plugin-react';
import {defineConfig, type ProxyOptions} from 'vite';
import {compressed} from './compressed.ts';
import {authorization, devSession} from './dev-session.ts';
import {firstPageBudget} from './first-page-budget.ts';

/** The APIs of the server, which the development server passes on; the console itself stays here. */
const API_PATHS = ['/api', '/apis', '/v1', '/compute/v1', '/audit', '/version', '/openapi', '/metrics'];
/** The server to develop against. */
const server = process.env['PALISADE_SERVER'] ?? 'http://127.0.0.1:8080';
/** Whether this process plays `/console/session`. */
const playsSession = process.env['PALISADE_DEV_SESSION'] === '1';
/** The server refuses requests of browsers from other origins: the development server speaks in its own name. */
const target: ProxyOptions = {
  target: server,
  secure: false,
  changeOrigin: true,
  configure: proxy => {
    proxy.on('proxyReq', request => {
      request.setHeader('origin', new URL(server).origin);
      request.setHeader('sec-fetch-site', 'same-origin');
      for (const [name, value] of Object.entries(authorization())) request.setHeader(name, value);
    });
  },
};
const ownPaths = playsSession ? [] : ['/console/session', '/console/oidc'];
const proxy = Object.fromEntries([...API_PATHS, ...ownPaths].map(path => [path, target]));

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [
    react(),
    ...(playsSession ? [devSession(server)] : []),
    firstPageBudget({gzipBytesMax: 400 * 1024}),
    compressed(join(import.meta.dirname, 'dist')),
  ],
  css: {modules: {generateScopedName: '[name]-[local]-[hash:base64:5]'}},
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // Only what the content security policy allows: no data: addresses of scripts, no inline code.
    assetsInlineLimit: 0,
    modulePreload: {polyfill: false},
    reportCompressedSize: false, // firstPageBudget prints them
    rolldownOptions: {checks: {pluginTimings: false}}, // a busy machine is no warning
    chunkSizeWarningLimit: 2_000,
  },
  server: {host: '127.0.0.1', proxy},
  preview: {host: '127.0.0.1', proxy},
});
