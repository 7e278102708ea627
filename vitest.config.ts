import { defineConfig } from 'vitest/config'

// The quick suite: beside the code it tests, plus what crosses workspaces. Long suites have configs of their own, and *.check.ts.
export default defineConfig({
  test: {
    // A worker goes on with the next file: no module of ours keeps state, and starting anew for each costs more than the tests.
    isolate: false,
    // One for each core: much of the time is spent waiting for programs.
    maxWorkers: '100%',
    // Real programs are started, on machines that may be busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: [
      'packages/**/*.test.ts',
      'services/**/*.test.ts',
      'apps/**/*.test.ts',
      'scripts/**/*.test.ts',
      'tests/**/*.test.ts',
    ],
  },
})
