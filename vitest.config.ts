import { defineConfig } from 'vitest/config'

// The quick suite: beside the code it tests, plus what crosses workspaces. Long suites have configs of their own.
export default defineConfig({
  test: {
    include: [
      'packages/**/*.test.ts',
      'services/**/*.test.ts',
      'scripts/**/*.test.ts',
      'tests/*.test.ts',
      'tests/{kinds,status-contract,testbed,tools}/**/*.test.ts',
    ],
  },
})
