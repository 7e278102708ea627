import { defineConfig } from 'vitest/config'

// Restarts, outages and large folders: whole stories that take their time, so it is no part of the quick suite.
export default defineConfig({
  test: {
    include: ['tests/gittarget-long/**/*.check.ts'],
    hookTimeout: 1_800_000,
    testTimeout: 300_000,
    fileParallelism: false,
  },
})
