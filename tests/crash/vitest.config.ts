import { defineConfig } from 'vitest/config'

// The server process is killed, doubled and starved of disk; what it acknowledged must outlive all of it.
export default defineConfig({
  test: {
    include: ['tests/crash/**/*.check.ts'],
    testTimeout: 1_500_000,
    maxWorkers: 2,
  },
})
