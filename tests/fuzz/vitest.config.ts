import { defineConfig } from 'vitest/config'

// A hundred thousand mutated requests against the embedded server; whatever it is sent, it must go on answering. And some odd
// ones that are answered as the real server does.
export default defineConfig({
  test: {
    include: ['tests/fuzz/**/*.check.ts'],
    testTimeout: 1_500_000,
    // The first start may have to build the real control plane.
    hookTimeout: 900_000,
  },
})
