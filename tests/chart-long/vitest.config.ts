import { defineConfig } from 'vitest/config'

// Every value taken away, every flag by itself, every release's baseline; and the chart's life on a real kube-apiserver.
export default defineConfig({
  test: {
    include: ['tests/chart-long/**/*.check.ts'],
    hookTimeout: 400_000,
    testTimeout: 900_000,
    teardownTimeout: 30_000,
  },
})
