import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ensureAgentCli } from '../../support/testbed/agent-clis.ts'
import { isFull } from '../../support/tier.ts'
import { startApiBed } from './api-bed.ts'
import { fuzzApi } from './fuzz-api.ts'

const description = join(import.meta.dirname, '../../../docs/openapi.json')
const run = promisify(execFile)

test('the linters have nothing to say about the description', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lint-api-'))
  try {
    const quiet = { ...env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const redocly = join(await ensureAgentCli('redocly', env), 'bin/redocly')
    const json = ['--format', 'json']
    const { stdout } = await run(redocly, ['lint', description, ...json], {
      cwd: folder,
      env: quiet,
    })
    expect(JSON.parse(stdout).problems).toEqual([])
    await writeFile(join(folder, 'rules.yaml'), 'extends: ["spectral:oas"]\n')
    const spectral = join(await ensureAgentCli('spectral', env), 'bin/spectral')
    const rules = ['--ruleset', 'rules.yaml', '--fail-severity', 'hint']
    await run(spectral, ['lint', description, ...rules], { cwd: folder })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test.runIf(isFull)(
  'answers to made-up requests are no server errors, and as described',
  {
    timeout: 900_000,
  },
  async () => {
    const bed = await startApiBed('embedded')
    try {
      const { requests, findings } = await fuzzApi(bed, 20)
      expect(findings).toBe('')
      expect(requests).toBeGreaterThan(1_000)
    } finally {
      await bed.stop()
    }
  },
)
