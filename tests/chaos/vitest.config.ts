import { defineConfig } from 'vitest/config'

// The controllers are killed again and again while runs are under way; each run must still end as if nothing had happened.
export default defineConfig({
  test: {
    include: ['tests/chaos/**/*.check.ts'],
    testTimeout: 1_200_000,
    hookTimeout: 240_000,
  },
})
