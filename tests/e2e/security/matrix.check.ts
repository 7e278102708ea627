import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { likeAuthorities } from '../../support/testbed/authority.ts'
import { startEnvironment } from './matrix/environment.ts'
import { renderMatrix } from './matrix/render-matrix.ts'
import { runProbes } from './matrix/run-probes.ts'

const page = join(import.meta.dirname, '../../../docs/security-matrix.md')

test.each(likeAuthorities)(
  'on the %s API server each permission reaches what the docs say',
  async (authority) => {
    const environment = await startEnvironment(authority)
    try {
      expect(renderMatrix(await runProbes(environment))).toBe(await readFile(page, 'utf8'))
    } finally {
      await environment.stop()
    }
  },
)
