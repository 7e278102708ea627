import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type UsedPlatform, usePlatform } from '../../support/agentctl/use-shared-platform.ts'

let platform: UsedPlatform
beforeAll(async () => {
  platform = await usePlatform()
})

/** Applies an Orchestration and waits until it is ready. */
async function apply(name: string, manifest: string): Promise<void> {
  const path = join(platform.stateDir, `${name}.yaml`)
  writeFileSync(path, manifest)
  expect((await platform.agentctl('apply', '-f', path)).code).toBe(0)
  const waited = await platform.agentctl('wait', 'orchestration', name, '--for', 'condition=Ready')
  expect(waited).toMatchObject({ code: 0 })
}

test('agentctl graph draws an Orchestration', async () => {
  await apply(
    'fix',
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
  const explained = await platform.agentctl('explain', 'orchestration', 'fix')
  expect(explained).toMatchObject({ code: 0 })
  expect(explained.stdout).toMatch(/^fix in \S+, created .*\nReady\n/)
  expect(explained.stdout).toContain('agentctl run --orchestration fix')
  const wrong = await platform.agentctl('graph', 'agent', 'scripted')
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toContain('agent has no graph; use orchestration or orchestrationrun')
})

test('an Orchestration is run, shown and run again from a step', async () => {
  await apply(
    'marks',
    `apiVersion: orchestration.proompteng.ai/v1alpha1
kind: Orchestration
metadata: {name: marks}
spec:
  parameters: [{name: stage, required: true}]
  steps:
    - {name: first, kind: Checkpoint, with: {stage: "{{ parameters.stage }}"}}
    - {name: second, kind: Checkpoint, dependsOn: [first], with: {copy: "{{ steps.first.outputs.stage }}"}}
    - {name: never, kind: Checkpoint, dependsOn: [first], when: "parameters.stage == 'live'"}
  outputs: {copy: "{{ steps.second.outputs.copy }}"}
`,
  )
  const run = ['run', '--orchestration', 'marks', '--name', 'marks-1']
  const ran = await platform.agentctl(...run, '-p', 'stage=test')
  expect(ran).toMatchObject({ code: 0 })
  expect(ran.stderr).toContain('orchestrationrun.orchestration.proompteng.ai/marks-1 created')
  const lines = ran.stdout.split('\n')
  for (const name of ['first', 'second']) expect(lines).toContain(`${name}: Succeeded`)
  expect(ran.stdout).toMatch(/^never: Skipped/m)
  const drawn = (await platform.agentctl('graph', 'orchestrationrun', 'marks-1')).stdout
  expect(drawn).toMatch(/^first {2}Succeeded {2}Checkpoint\n├─ second {2}Succeeded/)
  const again = await platform.agentctl('rerun', 'marks-1', '--from', 'second', '--no-wait')
  expect(again).toMatchObject({ code: 0 })
  const [, name = ''] = again.stdout.trim().split('/')
  const finished = ['wait', 'orchestrationrun', name, '--for', 'condition=Finished']
  expect(await platform.agentctl(...finished)).toMatchObject({ code: 0 })
  const shown = await platform.agentctl('get', 'orchestrationrun', name, '-o', 'json')
  const { spec, status } = JSON.parse(shown.stdout)
  expect(spec.resumeFrom).toEqual({ name: 'marks-1', steps: ['second'] })
  expect(status.outputs).toEqual({ copy: 'test' })
  const reasons = status.stepStatuses.map((step: Record<string, string>) => [
    step.name,
    step.reason === 'Reused',
  ])
  expect(Object.fromEntries(reasons)).toMatchObject({ first: true, second: false })
  const refused = await platform.agentctl('run', '--orchestration', 'marks', '-p', 'other=x')
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('InvalidParameters')
  const typo = await platform.agentctl('rerun', 'marks-1', '--from', 'secnd')
  expect(typo.stderr).toContain('Did you mean second?')
})

test('a run that waits is explained and cancelled', async () => {
  await apply(
    'waits',
    `apiVersion: signals.proompteng.ai/v1alpha1
kind: Signal
metadata: {name: pushed}
spec: {}
---
apiVersion: orchestration.proompteng.ai/v1alpha1
kind: Orchestration
metadata: {name: waits}
spec:
  steps: [{name: wait, kind: SignalWait, signalRef: pushed}]
`,
  )
  const run = ['run', '--orchestration', 'waits', '--name', 'waits-1', '--no-wait']
  expect(await platform.agentctl(...run)).toMatchObject({ code: 0 })
  const explained = async () =>
    (await platform.agentctl('explain', 'orchestrationrun', 'waits-1')).stdout
  await expect.poll(explained, { timeout: 200_000 }).toContain('wait')
  await expect.poll(explained, { timeout: 200_000 }).toContain('orchestrationrun/waits-1')
  const cancelled = await platform.agentctl('cancel', 'orchestrationrun/waits-1')
  expect(cancelled).toMatchObject({ code: 0, stdout: 'waits-1 cancelled\n' })
  expect(await explained()).toContain('agentctl rerun waits-1')
})

test('the output of all steps is shown, each line with its step', async () => {
  await apply(
    'talk',
    `apiVersion: tools.proompteng.ai/v1alpha1
kind: Tool
metadata: {name: say}
spec:
  image: docker.io/library/busybox:1.37.0
  command: [/bin/sh, -c, 'echo "$TOOL_PARAM_TEXT"; echo "second line"; sleep 1']
  parameters: [{name: text, required: true}]
---
apiVersion: orchestration.proompteng.ai/v1alpha1
kind: Orchestration
metadata: {name: inner}
spec:
  steps:
    - {name: deep, kind: ToolRun, toolRef: {name: say}, with: {text: from below}}
---
apiVersion: orchestration.proompteng.ai/v1alpha1
kind: Orchestration
metadata: {name: talk}
spec:
  steps:
    - name: each
      kind: ToolRun
      forEach: {items: [one, two]}
      toolRef: {name: say}
      with: {text: "item {{ item }}"}
    - name: agent
      kind: AgentRun
      dependsOn: [each]
      agentRef: {name: scripted}
      implementation: {inline: {summary: Greet, text: Greet the reader}}
    - {name: sub, kind: SubOrchestration, dependsOn: [each], orchestrationRef: {name: inner}}
`,
  )
  const created = ['run', '--orchestration', 'talk', '--name', 'talk-1', '--no-wait']
  expect(await platform.agentctl(...created)).toMatchObject({ code: 0 })
  const followed = await platform.agentctl('logs', '-f', 'orchestrationrun/talk-1')
  expect(followed).toMatchObject({ code: 0 })
  const expected = [
    'each[0]  item one',
    'each[0]  second line',
    'each[1]  item two',
    'each[1]  second line',
    'agent  reading the task: Greet',
    'agent  done',
    'sub/deep  from below',
    'sub/deep  second line',
  ]
  for (const line of expected) expect(followed.stdout.split('\n')).toContain(line)
  // Runners and steps say something, too, but not as output.
  expect(followed.stdout).not.toContain('Succeeded')
  expect(followed.stderr).toContain('sub/deep: Succeeded')
  expect(followed.stderr).toMatch(/talk-1 {2}Succeeded\n$/)

  const shown = await platform.agentctl('logs', 'orchestrationrun/talk-1')
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout.split('\n').toSorted()).toEqual(followed.stdout.split('\n').toSorted())
  // Steps come one after the other.
  const labels = shown.stdout.split('\n').map((line) => line.split('  ')[0])
  expect(labels.filter((one, index) => one !== labels[index - 1])).toEqual([
    'each[0]',
    'each[1]',
    'agent',
    'sub/deep',
    '',
  ])
  const tail = await platform.agentctl('logs', 'orchestrationrun/talk-1', '--tail', '1')
  expect(tail.stdout).toContain('each[0]  second line')
  expect(tail.stdout).not.toContain('item one')
  const wrong = await platform.agentctl('logs', 'orchestrationrun/talk-1', '-c', 'publish')
  expect(wrong.code).toBe(2)
  const absent = await platform.agentctl('logs', 'orchestrationrun/absent')
  expect(absent.code).not.toBe(0)
  expect(absent.stderr).toContain('absent')
})

test('the runs of schedules of tools and orchestrations are triggered and followed', async () => {
  await apply(
    'upkeep',
    `apiVersion: tools.proompteng.ai/v1alpha1
kind: Tool
metadata: {name: sweep}
spec:
  image: local
  command: [/bin/sh, -c, 'echo "swept $TOOL_PARAM_WHAT"']
  parameters: [{name: what, required: true}]
---
apiVersion: schedules.proompteng.ai/v1alpha1
kind: Schedule
metadata: {name: sweeping}
spec:
  cron: "@yearly"
  template:
    kind: ToolRun
    spec: {toolRef: {name: sweep}, parameters: {what: the floor}}
---
apiVersion: orchestration.proompteng.ai/v1alpha1
kind: Orchestration
metadata: {name: upkeep}
spec:
  steps: [{name: first, kind: ToolRun, toolRef: {name: sweep}, with: {what: the yard}}]
---
apiVersion: orchestration.proompteng.ai/v1alpha1
kind: OrchestrationRun
metadata: {name: upkeep-once}
spec: {orchestrationRef: {name: upkeep}}
---
apiVersion: schedules.proompteng.ai/v1alpha1
kind: Schedule
metadata: {name: upkeep}
spec:
  cron: "@yearly"
  targetRef: {kind: OrchestrationRun, name: upkeep-once}
`,
  )
  const swept = await platform.agentctl('schedule', 'trigger', 'sweeping')
  expect(swept).toMatchObject({ code: 0, stdout: 'swept the floor\n' })
  const [, tool = ''] = /toolrun\S*\/(sweeping-manual-\w+) created/.exec(swept.stderr) ?? []
  const of = async (kind: string, name: string) =>
    JSON.parse((await platform.agentctl('get', kind, name, '-o', 'json')).stdout)
  expect(await of('toolrun', tool)).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'Schedule', name: 'sweeping' }] },
    status: { phase: 'Succeeded' },
  })
  const followed = await platform.agentctl('schedule', 'trigger', 'upkeep')
  expect(followed.code).toBe(0)
  const created = /orchestrationrun\S*\/(upkeep-manual-\w+) created/.exec(followed.stderr)
  expect(await of('orchestrationrun', created?.[1] ?? '')).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'Schedule', name: 'upkeep' }] },
    spec: { orchestrationRef: { name: 'upkeep' } },
    status: { phase: 'Succeeded', stepStatuses: [{ name: 'first', phase: 'Succeeded' }] },
  })
  const again = await of('orchestrationrun', 'upkeep-once')
  await platform.agentctl('delete', 'orchestrationrun', 'upkeep-once')
  const { apiVersion, kind, spec } = again
  await apply(
    'upkeep',
    JSON.stringify({ apiVersion, kind, metadata: { name: 'upkeep-once' }, spec }),
  )
  const replaced = await platform.agentctl('schedule', 'trigger', 'upkeep')
  expect(replaced).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('OrchestrationRun upkeep-once was deleted and created again'),
  })
})
