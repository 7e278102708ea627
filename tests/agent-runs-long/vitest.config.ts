import { defineConfig } from 'vitest/config'

// Runs under a controllers process that is killed again and again.
export default defineConfig({
  test: {
    include: ['tests/agent-runs-long/**/*.check.ts'],
    hookTimeout: 60_000,
    testTimeout: 900_000,
    teardownTimeout: 60_000,
    maxWorkers: 1,
  },
})
