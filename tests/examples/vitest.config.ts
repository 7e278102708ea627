import { defineConfig } from 'vitest/config'

// The examples of the agents group on whole platforms: the embedded server, and a real control plane whose pods our node plays.
export default defineConfig({
  test: {
    include: ['tests/examples/**/*.check.ts'],
    hookTimeout: 300_000,
    testTimeout: 600_000,
    maxWorkers: 1,
  },
})
