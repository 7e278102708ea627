import { defineConfig } from 'vitest/config'

// A hundred thousand mutated requests against the embedded server; whatever it is sent, it must go on answering.
export default defineConfig({
  test: {
    include: ['tests/fuzz/**/*.check.ts'],
    testTimeout: 900_000,
    hookTimeout: 60_000,
  },
})
