import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toolPath } from '@agents/chart-tools'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  agentctlPath,
  repository,
  type Started,
  startProgram,
} from '../../support/agentctl/local-platform.ts'
import { missingLine, readTour } from './tour.ts'

const [first, ...steps] = readTour(readFileSync(join(repository, 'README.md'), 'utf8'))

// Takes the place of the checkout, so that `.state` is not shared.
const checkout = mkdtempSync(join(tmpdir(), 'agents-tour-'))
const bin = join(checkout, 'bin')
const environment = {
  AGENTCTL_STATE_DIR: join(checkout, '.state'),
  PATH: `${bin}:${join(repository, 'node_modules/.bin')}:/usr/local/bin:/usr/bin:/bin`,
}
let platform: Started

beforeAll(async () => {
  mkdirSync(bin)
  symlinkSync(await toolPath('kubectl', '1.36'), join(bin, 'kubectl'))
  // Calls agentctl directly: whether npm has linked it depends on the installation.
  writeFileSync(join(bin, 'npx'), `#!/bin/sh\nshift\nexec node '${agentctlPath}' "$@"\n`, {
    mode: 0o755,
  })
  const script = `npm start --silent -- --secure-port 0 2>&1`
  platform = startProgram('bash', ['-c', script], environment)
  await platform.waitForOutput('Press Ctrl-C to stop it.')
})
afterAll(async () => {
  await startProgram(process.execPath, [agentctlPath, 'down'], environment).finished
  await platform.finished
  rmSync(checkout, { recursive: true, force: true, maxRetries: 5 })
})

describe('the tour of the README', () => {
  test('begins with npm start, which prints what the page shows', () => {
    expect(first?.command).toBe('npm start')
    const printed = platform.stdout().replaceAll(environment.AGENTCTL_STATE_DIR, '.state')
    expect(missingLine(first?.prints ?? [], printed)).toBeUndefined()
  })

  // Variables that one command exports, such as KUBECONFIG, apply to the following ones.
  const before: string[] = []
  test.each(steps)('$command', async ({ command, prints }) => {
    const exports = before.filter((each) => each.startsWith('export ')).join('\n')
    before.push(command)
    const script = `${exports}\n{ ${command}\n} 2>&1`
    const { stdout } = await startProgram('bash', ['-c', script], environment, checkout).finished
    expect({ missing: missingLine(prints, stdout), stdout }).toEqual({ missing: undefined, stdout })
  })

  test('has covered the main commands', () => {
    const shown = before.join('\n')
    for (const word of [
      'agentctl run',
      'agentctl explain',
      'agentctl cancel',
      'kubectl get',
      'kubectl wait',
      'kubectl logs',
    ]) {
      expect(shown).toContain(word)
    }
  })
})
