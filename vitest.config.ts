import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { patternsOf, suites } from './scripts/test/suites.ts'

const hour = 3_600_000

// Workers and the programs that tests start share compiled code: a service starts with less than half of the work.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

// Kubernetes and the other programs in Go collect garbage less often: a kube-apiserver starts with a quarter less work.
process.env.GOGC ??= '400'

/** A test that is run by its name runs whole. */
const tier = process.env.TEST_TIER === 'gate' ? 'gate' : 'full'

/** What tests wait for happens at once on an idle machine; the default of one second is too short on a busy one. */
const patience = { poll: { timeout: 30_000 } }

/**
 * A worker goes on with the next file (`isolate: false`): no module of ours keeps state, and a fresh worker for each
 * costs more than many tests.
 *
 * One project for the quick tests (`*.test.ts`), one for each long suite (`*.check.ts` and `*.full.ts`), and one for
 * what takes hours (`*.soak.ts`). `npm test`, `npm run test:long`, `npm run test:full` and `npm run test:soak` select them.
 */
export default defineConfig({
  test: {
    // Suites stop real servers when they end.
    teardownTimeout: 60_000,
    projects: [
      {
        test: {
          name: 'quick',
          expect: patience,
          isolate: false,
          // One for each core: much of the time is spent waiting for programs.
          maxWorkers: '100%',
          // Real programs are started, on machines that may be busy.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          include: ['{packages,services,apps,scripts,tests}/**/*.test.ts'],
        },
      },
      ...suites.map(({ name, globalSetup, maxWorkers, testTimeout, hookTimeout }, index) => ({
        test: {
          name,
          expect: patience,
          include: [...patternsOf(name, tier)],
          isolate: false,
          // Suites differ in their number of workers, so vitest has to run them one after the other.
          sequence: { groupOrder: index + 1 },
          testTimeout,
          hookTimeout,
          ...(maxWorkers === undefined ? {} : { maxWorkers }),
          ...(globalSetup === undefined ? {} : { globalSetup: [globalSetup] }),
        },
      })),
      {
        test: {
          name: 'soak',
          expect: patience,
          include: ['tests/**/*.soak.ts'],
          sequence: { groupOrder: suites.length + 1 },
          testTimeout: 12 * hour,
          hookTimeout: 900_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
