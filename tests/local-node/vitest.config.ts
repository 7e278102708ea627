import { defineConfig } from 'vitest/config'

// The local node against the embedded server, both in the process of the test, with real processes as containers.
export default defineConfig({
  test: {
    include: ['tests/local-node/**/*.check.ts'],
    hookTimeout: 180_000,
    testTimeout: 300_000,
    teardownTimeout: 30_000,
    maxWorkers: 2,
  },
})
