import { defineConfig } from 'vitest/config'

// Needs the real control plane, so it is no part of the quick suite.
export default defineConfig({
  test: {
    include: ['tests/discovery/**/*.check.ts'],
    hookTimeout: 1_800_000,
    testTimeout: 300_000,
    fileParallelism: false,
  },
})
