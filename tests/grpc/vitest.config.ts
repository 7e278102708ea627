import { defineConfig } from 'vitest/config'

// The gRPC of the control plane, as a client that is not ours sees it. Needs Go.
export default defineConfig({
  test: {
    include: ['tests/grpc/**/*.check.ts'],
    // The first time the client has to be built.
    hookTimeout: 600_000,
    testTimeout: 120_000,
  },
})
