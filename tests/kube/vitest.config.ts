import { defineConfig } from 'vitest/config'

// The client and its informers on the embedded server and on a real kube-apiserver. KUBE_SUBJECT=embedded|real chooses one.
export default defineConfig({
  test: {
    include: ['tests/kube/**/*.check.ts'],
    // The first start may have to build the real control plane.
    hookTimeout: 1_800_000,
    testTimeout: 400_000,
    fileParallelism: false,
  },
})
