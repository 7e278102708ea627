import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  agentctlPath,
  ready,
  repository,
  type Started,
  startProgram,
} from '../../support/agentctl/local-platform.ts'
import { followPage } from './followed-page.ts'
import { missingLine, readTour } from './tour.ts'

const page = join(repository, 'docs', 'own-agent.md')
const steps = readTour(await readFile(page, 'utf8'))
let folder: string
let environment: { AGENTCTL_STATE_DIR: string; PATH: string }
let platform: Started | undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agents-own-agent-'))
  // The program of a pod may run as another user.
  await chmod(folder, 0o755)
  await followPage(page, folder)
  await chmod(join(folder, 'word-counter'), 0o755)
  const npx = `#!/bin/sh\nshift\nexec '${process.execPath}' '${agentctlPath}' "$@"\n`
  await writeFile(join(folder, 'npx'), npx, { mode: 0o755 })
  environment = {
    AGENTCTL_STATE_DIR: join(folder, 'state'),
    PATH: `${folder}:${join(repository, 'node_modules', '.bin')}:/usr/local/bin:/usr/bin:/bin`,
  }
  const up = [agentctlPath, 'up', '--no-sample', '--secure-port', '0']
  platform = startProgram(process.execPath, up, environment, folder)
  await platform.waitForOutput(ready)
})
afterAll(async () => {
  await startProgram(process.execPath, [agentctlPath, 'down'], environment).finished
  await platform?.finished
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

test.each(steps)('$command', async ({ command, prints }) => {
  const script = `{ ${command}\n} 2>&1`
  const { code, stdout } = await startProgram('bash', ['-c', script], environment, folder).finished
  expect({ code, missing: missingLine(prints, stdout), stdout }).toEqual({
    ...{ code: 0, missing: undefined, stdout },
  })
})

test('the page applies and runs the program', () => {
  expect(steps.map(({ command }) => command)).toEqual([
    expect.stringContaining('agentctl apply'),
    expect.stringContaining('agentctl run'),
  ])
})
