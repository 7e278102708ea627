import { defineConfig } from 'vitest/config'

// Whole controllers, each test with its own: too much for the quick suite.
export default defineConfig({
  test: {
    include: ['tests/agents-kinds/**/*.check.ts'],
    hookTimeout: 120_000,
    testTimeout: 240_000,
  },
})
