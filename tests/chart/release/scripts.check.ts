import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CommandLine, openCommandLine } from '../../support/chart/command-line.ts'
import { isFull } from '../../support/tier.ts'

let folder: string
let shell: CommandLine

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agents-scripts-'))
  shell = await openCommandLine(folder)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

// Other tests of the gate do what the script does in all.
const whole = isFull ? ['scripts/agents/validate-agents.sh'] : []

test.each(['npm run lint:argocd', ...whole])('%s', async (line) => {
  const { code, stdout } = await shell(line)
  expect([stdout, code]).toEqual([expect.stringMatching(/ok|0 problems/), 0])
  expect(stdout).not.toContain('FAILED')
})

test('validate-agents.sh continues after a failed step, and fails', async () => {
  const { code, stdout } = await shell('HELM_BIN=/bin/false scripts/agents/validate-agents.sh')
  expect(code).toBe(1)
  expect(stdout).toContain('FAILED  helm lint')
  expect(stdout).toContain('ok      examples and GitOps resources')
})
