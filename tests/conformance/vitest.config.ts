import { defineConfig } from 'vitest/config'

// One suite on two subjects, the embedded server and a real kube-apiserver. Both are started once for the whole run.
export default defineConfig({
  test: {
    include: ['tests/conformance/**/*.check.ts'],
    globalSetup: ['tests/conformance/main/start-subjects.ts'],
    // The first start may have to build the real control plane.
    hookTimeout: 300_000,
    testTimeout: 240_000,
    teardownTimeout: 60_000,
    maxWorkers: 2,
  },
})
