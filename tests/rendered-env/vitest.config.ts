import { defineConfig } from 'vitest/config'

// Every process of every profile of the chart, started with exactly the environment that the chart renders for it.
export default defineConfig({
  test: {
    include: ['tests/rendered-env/**/*.check.ts'],
    hookTimeout: 240_000,
    testTimeout: 400_000,
  },
})
