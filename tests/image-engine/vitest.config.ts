import { defineConfig } from 'vitest/config'

// The image as an engine builds it from the Dockerfile, and its programs as the pods of the chart.
export default defineConfig({
  test: {
    include: ['tests/image-engine/**/*.check.ts'],
    hookTimeout: 600_000,
    testTimeout: 300_000,
    teardownTimeout: 60_000,
    fileParallelism: false,
  },
})
