import { defineConfig } from 'vitest/config'

// Needs sops and age, built at first use, and sshd, so it is no part of the quick suite.
export default defineConfig({
  test: {
    include: ['tests/git/**/*.check.ts'],
    hookTimeout: 1_800_000,
    testTimeout: 300_000,
    fileParallelism: false,
  },
})
