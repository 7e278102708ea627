import { ensureBinaries } from './binaries.ts'

const started = performance.now()
const binaries = await ensureBinaries()
for (const path of Object.values(binaries)) process.stdout.write(`${path}\n`)
process.stderr.write(
  `testbed: ready after ${((performance.now() - started) / 1000).toFixed(1)} s\n`,
)
