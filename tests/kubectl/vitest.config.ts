import { defineConfig } from 'vitest/config'

// Commands of the real kubectl against the embedded server and a real kube-apiserver; what they print is compared.
export default defineConfig({
  test: {
    include: ['tests/kubectl/**/*.check.ts'],
    globalSetup: ['tests/kubectl/main/start-servers.ts'],
    // The first start may have to build the real control plane.
    hookTimeout: 300_000,
    testTimeout: 600_000,
    teardownTimeout: 30_000,
    maxWorkers: 2,
  },
})
