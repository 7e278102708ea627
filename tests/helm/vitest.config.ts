import { defineConfig } from 'vitest/config'

// The real Helm against the embedded server and a real kube-apiserver; what becomes of a chart is compared.
export default defineConfig({
  test: {
    include: ['tests/helm/**/*.check.ts'],
    hookTimeout: 300_000,
    testTimeout: 400_000,
    teardownTimeout: 30_000,
  },
})
