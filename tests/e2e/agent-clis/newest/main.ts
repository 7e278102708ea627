import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { newestVersion, versionVariable } from '../../../support/testbed/agent-clis.ts'
import { subjects } from '../subjects.ts'
import { renderResults, type TestResults } from './render-results.ts'

/**
 * Runs the tests of the agent CLIs with the newest version of each, and prints what became of them. Its exit code says
 * whether there is a table, and not whether the tests passed.
 */
const root = join(import.meta.dirname, '../../../..')
const folder = await mkdtemp(join(tmpdir(), 'agents-newest-clis-'))
try {
  const versions = new Map<string, string>()
  const settings: Record<string, string> = {}
  for (const { cli } of subjects) {
    const version = await newestVersion(cli)
    versions.set(cli, version)
    settings[versionVariable(cli)] = version
  }
  const results = join(folder, 'results.json')
  const vitest = spawn(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      ...['run', '--root', root, '--project', 'soak', 'agent-clis.soak.ts'],
      ...['--reporter=json', `--outputFile=${results}`],
      ...process.argv.slice(2),
    ],
    { env: { ...env, ...settings }, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  await once(vitest, 'exit')
  const ended = JSON.parse(await readFile(results, 'utf8')) as TestResults
  process.stdout.write(renderResults(ended, versions))
} finally {
  await rm(folder, { recursive: true, force: true })
}
