import { join } from 'node:path'
import { ensureVersitygw } from '../s3/versitygw.ts'
import { ensureBinaries } from './binaries.ts'
import { ensureGoProgram } from './go-program.ts'

const started = performance.now()
const binaries = await ensureBinaries()
for (const path of Object.values(binaries)) process.stdout.write(`${path}\n`)
// Builds the programs in advance, so that the suites that use them need not wait for a compiler.
for (const program of [
  'contract/health/judge',
  'e2e/tracing/receiver',
  'support/actionlint',
  'support/grpc/client',
]) {
  await ensureGoProgram(join(import.meta.dirname, '../..', program))
}
await ensureVersitygw()
process.stderr.write(
  `testbed: ready after ${((performance.now() - started) / 1000).toFixed(1)} s\n`,
)
