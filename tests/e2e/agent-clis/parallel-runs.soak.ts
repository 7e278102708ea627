import { testParallelRuns } from './parallel-runs.ts'

testParallelRuns('codex', 50)
