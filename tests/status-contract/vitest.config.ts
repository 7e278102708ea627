import { defineConfig } from 'vitest/config'

// On both servers; the real one may have to be built first.
export default defineConfig({
  test: {
    include: ['tests/status-contract/**/*.check.ts'],
    hookTimeout: 1_800_000,
    testTimeout: 240_000,
    fileParallelism: false,
  },
})
