import { defineConfig } from 'vitest/config'

// Faults on purpose, against the embedded server and a real one, which may have to be built first.
export default defineConfig({
  test: {
    include: ['tests/controller/**/*.check.ts'],
    hookTimeout: 1_800_000,
    testTimeout: 600_000,
    fileParallelism: false,
  },
})
