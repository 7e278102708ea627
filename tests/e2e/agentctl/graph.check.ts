import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalPlatform, startPlatform } from '../../support/agentctl/local-platform.ts'

let platform: LocalPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.remove())

test('agentctl graph draws an Orchestration', async () => {
  const path = join(platform.stateDir, 'graph.yaml')
  writeFileSync(
    path,
    `apiVersion: orchestration.proompteng.ai/v1alpha1
kind: Orchestration
metadata: {name: fix}
spec:
  steps:
    - {name: plan, kind: Checkpoint, with: {count: "2"}}
    - name: work
      kind: AgentRun
      dependsOn: [plan]
      when: steps.plan.outputs.count == '2'
      agentRef: {name: scripted}
      implementation: {inline: {text: Greet the reader}}
    - {name: note, kind: Checkpoint, dependsOn: [plan]}
    - {name: clean, kind: Checkpoint, finally: true}
`,
  )
  expect((await platform.agentctl('apply', '-f', path)).code).toBe(0)
  const waited = await platform.agentctl('wait', 'orchestration', 'fix', '--for', 'condition=Ready')
  expect(waited).toMatchObject({ code: 0 })
  expect(await platform.agentctl('graph', 'orchestration', 'fix')).toMatchObject({
    code: 0,
    stdout: [
      'plan  Checkpoint',
      "├─ work  AgentRun scripted  if steps.plan.outputs.count == '2'",
      '└─ note  Checkpoint',
      'finally',
      '└─ clean  Checkpoint',
      '',
    ].join('\n'),
  })
  const wrong = await platform.agentctl('graph', 'agent', 'scripted')
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toContain('agent has no graph; use orchestration or orchestrationrun')
})
