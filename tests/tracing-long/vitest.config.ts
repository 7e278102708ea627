import { defineConfig } from 'vitest/config'

// Our spans, as the OpenTelemetry collector's own types read them. Needs Go.
export default defineConfig({
  test: {
    include: ['tests/tracing-long/**/*.check.ts'],
    // The first time the receiver has to be built.
    hookTimeout: 600_000,
    testTimeout: 120_000,
  },
})
