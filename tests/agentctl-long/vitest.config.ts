import { defineConfig } from 'vitest/config'

// Every command against a real `agentctl up`, restarts and crashes of it, and the tour of the README.
export default defineConfig({
  test: {
    include: ['tests/agentctl-long/**/*.check.ts'],
    hookTimeout: 300_000,
    testTimeout: 600_000,
    teardownTimeout: 60_000,
    maxWorkers: 2,
  },
})
