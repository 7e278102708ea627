import { defineConfig } from 'vitest/config'

// What Argo CD, kstatus and kubectl conclude from the same objects. Needs Go for the first two.
export default defineConfig({
  test: {
    include: ['tests/health/**/*.check.ts'],
    // The first time the judge has to be built.
    hookTimeout: 600_000,
    testTimeout: 300_000,
  },
})
