import { join } from 'node:path'
import { ensureBinaries } from './binaries.ts'
import { ensureGoProgram } from './go-program.ts'

const started = performance.now()
const binaries = await ensureBinaries()
for (const path of Object.values(binaries)) process.stdout.write(`${path}\n`)
// The judge of health, the client of gRPC and the receiver of spans: their suites should not have to wait for a compiler.
for (const program of ['../health/judge', '../grpc/client', '../tracing-long/receiver']) {
  await ensureGoProgram(join(import.meta.dirname, program))
}
process.stderr.write(
  `testbed: ready after ${((performance.now() - started) / 1000).toFixed(1)} s\n`,
)
