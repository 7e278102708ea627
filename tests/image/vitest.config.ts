import { defineConfig } from 'vitest/config'

// What the Dockerfile puts into the image, installed and run under the same constraints, without Docker.
export default defineConfig({
  test: {
    include: ['tests/image/**/*.check.ts'],
    hookTimeout: 400_000,
    testTimeout: 240_000,
  },
})
