import {defineConfig} from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {test: {name: 'unit', include: ['packages/*/src/**/*.test.ts'], exclude: ['**/dist/**', '**/node_modules/**']}},
      {
        test: {
          name: 'e2e',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
    reporters: ['default', 'json'],
    outputFile: {json: 'test-results/vitest.json'},
  },
});
