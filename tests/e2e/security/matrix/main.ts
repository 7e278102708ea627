import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startEnvironment } from './environment.ts'
import { renderMatrix } from './render-matrix.ts'
import { runProbes } from './run-probes.ts'

const environment = await startEnvironment('embedded')
try {
  const page = join(import.meta.dirname, '../../../../docs/security-matrix.md')
  await writeFile(page, renderMatrix(await runProbes(environment)))
} finally {
  await environment.stop()
}
