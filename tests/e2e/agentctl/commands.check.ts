import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type UsedPlatform, usePlatform } from '../../support/agentctl/use-shared-platform.ts'

let platform: UsedPlatform
beforeAll(async () => {
  platform = await usePlatform()
})

function agentctl(...args: string[]) {
  return platform.agentctl(...args)
}

function scripted(mode: string, ...more: string[]) {
  return [
    ...['run', '--agent', 'scripted', '--text', 'Greet the reader', '-p', `scriptedMode=${mode}`],
    ...more,
  ]
}

function file(name: string, text: string): string {
  const path = join(platform.stateDir, name)
  writeFileSync(path, text)
  return path
}

const apiVersion = 'agents.proompteng.ai/v1alpha1'

describe('agentctl up', () => {
  test('a second one on the same state reports the running process', async () => {
    const { code, stderr } = await agentctl('up', '--secure-port', '0')
    expect(code).toBe(1)
    expect(stderr).toContain(
      `a platform is already running in ${platform.stateDir}: process ${platform.shared.pid}, at https://127.0.0.1:`,
    )
    expect(stderr).toContain(`agentctl down --state-dir ${platform.stateDir}`)
  })

  test('a port that is in use is named, with a suggestion', async () => {
    const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(platform.shared.stderr) ?? []
    const other = join(platform.stateDir, 'other')
    const { code, stderr } = await agentctl('up', '--state-dir', other, '--secure-port', port)
    expect(code).toBe(1)
    expect(stderr).toContain(`port ${port} is already in use`)
    expect(stderr).toContain('--secure-port')
  })

  test('a command that finds no platform explains how to start one', async () => {
    const none = join(platform.stateDir, 'none')
    const [get, doctor, down] = await Promise.all([
      agentctl('get', 'runs', '--state-dir', none),
      agentctl('doctor', '--state-dir', none),
      agentctl('down', '--state-dir', none),
    ])
    expect([get.code, doctor.code, down.code]).toEqual([3, 1, 0])
    expect(get.stderr).toContain('To start a platform on this machine')
    expect(doctor.stdout).toMatch(/bad +kubeconfig .*\n +To start a platform on this machine/)
    expect(down.stdout).toBe(`No platform is running in ${none}.\n`)
  })
})

describe('runs', () => {
  test('in steps, from a file, followed and read later', async () => {
    const path = file(
      'run.yaml',
      `apiVersion: ${apiVersion}
kind: AgentRun
metadata: {name: in-steps}
spec:
  agentRef: {name: scripted}
  runtime: {type: workflow}
  implementation: {inline: {text: Two steps}}
  workflow:
    steps:
      - {name: plan, parameters: {scriptedMode: no-change}}
      - {name: build}
`,
    )
    expect(await agentctl('run', '-f', path, '--no-wait')).toMatchObject({
      code: 0,
      stdout: 'agentrun.agents.proompteng.ai/in-steps\n',
    })
    const followed = await agentctl('logs', '-f', 'run/in-steps')
    expect(followed.code).toBe(0)
    expect(followed.stderr).toMatch(/-- step plan\n(.*\n)*-- step build\n/)
    expect(followed.stdout).toMatch(/no change is needed\n(.*\n)*edited AGENT_NOTES.md\n/)
    const later = await agentctl('logs', 'in-steps', '--tail', '1')
    expect(later.stderr).toContain('-- step build')
  })

  test('with retries: the output of each attempt, as it arrives', async () => {
    const path = file(
      'retried.yaml',
      `apiVersion: ${apiVersion}
kind: AgentRun
metadata: {name: retried}
spec:
  agentRef: {name: scripted}
  runtime: {type: job}
  retries: 1
  retryBackoffSeconds: 0
  implementation: {inline: {text: Try twice}}
  parameters: {scriptedMode: fail}
`,
    )
    const { code, stdout, stderr } = await agentctl('run', '-f', path)
    expect(code).toBe(1)
    expect(stdout.match(/cannot complete the task/g)).toHaveLength(2)
    expect(stderr).toContain('-- attempt 2')
  })

  test('a run whose agent is created later continues by itself', async () => {
    const created = await agentctl(
      'run',
      '-a',
      'late',
      '-t',
      'Wait',
      '--name',
      'patient',
      '--no-wait',
      '--wait-for-agent',
    )
    expect(created.code).toBe(0)
    const agent = file(
      'agent.yaml',
      `apiVersion: ${apiVersion}\nkind: Agent\nmetadata: {name: late}\nspec: {providerRef: {name: scripted}}\n`,
    )
    const applied = () => agentctl('apply', '-f', agent)
    expect((await applied()).stdout).toBe('agent.agents.proompteng.ai/late created\n')
    expect((await applied()).stdout).toBe('agent.agents.proompteng.ai/late unchanged\n')
    const met = await agentctl(
      'wait',
      'run',
      'patient',
      '--for=condition=Succeeded',
      '--timeout=300s',
    )
    expect(met).toMatchObject({
      code: 0,
      stdout: 'agentrun.agents.proompteng.ai/patient condition met\n',
    })
  })

  test('Ctrl-C on a follower does not affect the run; cancel ends it, once', async () => {
    await agentctl(...scripted('hang', '--name', 'unharmed', '--no-wait'))
    const follower = platform.start(['logs', '-f', 'unharmed'])
    await follower.waitForOutput('thinking')
    follower.child.kill('SIGINT')
    expect((await follower.finished).code).toBe(130)
    expect((await agentctl('get', 'run', 'unharmed')).stdout).toMatch(/unharmed +Running/)
    expect((await agentctl('cancel', 'unharmed')).stdout).toBe('unharmed cancelled\n')
    const again = await agentctl('cancel', 'unharmed')
    expect(again).toMatchObject({ code: 0, stdout: 'unharmed has already ended: Cancelled\n' })
    const never = await agentctl('wait', 'run', 'unharmed', '--for=condition=Succeeded')
    expect(never.code).toBe(1)
    expect(never.stderr).toContain('has ended and its condition Succeeded is False: Cancelled')
  })

  test('of a schedule, triggered while it is suspended, and once for each request', async () => {
    const path = file(
      'schedule.yaml',
      `apiVersion: schedules.proompteng.ai/v1alpha1
kind: Schedule
metadata: {name: yearly}
spec:
  cron: "@yearly"
  template:
    kind: AgentRun
    metadata: {labels: {purpose: upkeep}, annotations: {agents.proompteng.ai/requested-by: somebody}}
    spec:
      agentRef: {name: scripted}
      runtime: {type: job}
      implementation: {inline: {text: Greet the reader}}
`,
    )
    expect((await agentctl('apply', '-f', path)).code).toBe(0)
    const suspended = async () =>
      JSON.parse((await agentctl('get', 'schedule', 'yearly', '-o', 'json')).stdout).spec.suspend
    expect((await agentctl('schedule', 'suspend', 'yearly')).stdout).toBe('yearly is suspended\n')
    expect(await suspended()).toBe(true)
    const again = await agentctl('schedule', 'suspend', 'yearly')
    expect(again).toMatchObject({ code: 0, stdout: 'yearly is already suspended\n' })
    const triggered = await agentctl('schedule', 'trigger', 'yearly')
    expect(triggered).toMatchObject({ code: 0, stdout: expect.stringContaining('edited') })
    const [, name = ''] = /\/(yearly-manual-\w+) created/.exec(triggered.stderr) ?? []
    const selected = ['-l', 'schedules.proompteng.ai/schedule=yearly', '-o', 'json']
    const listed = JSON.parse((await agentctl('get', 'runs', ...selected)).stdout)
    expect(listed.items.map(({ metadata }: { metadata: object }) => metadata)).toEqual([
      expect.objectContaining({
        name,
        labels: expect.objectContaining({ purpose: 'upkeep' }),
        annotations: expect.not.objectContaining({
          'agents.proompteng.ai/requested-by': 'somebody',
        }),
        ownerReferences: [expect.objectContaining({ kind: 'Schedule', name: 'yearly' })],
      }),
    ])
    expect((await agentctl('schedule', 'resume', 'yearly')).stdout).toBe('yearly is active\n')
    expect(await suspended()).toBe(false)
    const unknown = await agentctl('schedule', 'triger', 'yearly')
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('Did you mean trigger?')
    const missing = await agentctl('schedule', 'trigger', 'monthly', '--no-wait')
    expect(missing.code).toBe(3)
    expect(missing.stderr).toContain('monthly')
  })

  test('of a tool, followed, explained and cancelled', async () => {
    const path = file(
      'tool.yaml',
      `apiVersion: tools.proompteng.ai/v1alpha1
kind: Tool
metadata: {name: greet}
spec:
  image: local
  command: [/bin/sh, -c]
  args: ['echo "hello $TOOL_PARAM_WHO"; echo "{\\"who\\": \\"$TOOL_PARAM_WHO\\"}" > "$TOOL_OUTPUTS"; sleep "$TOOL_PARAM_FOR"']
  parameters: [{name: who, required: true}, {name: for, default: "0"}]
`,
    )
    expect((await agentctl('apply', '-f', path)).code).toBe(0)
    const flags = ['run', '--tool', 'greet', '--param', 'who=you']
    const followed = await agentctl(...flags, '--name', 'greeted')
    expect(followed).toMatchObject({ code: 0, stdout: 'hello you\n' })
    const { status } = JSON.parse(
      (await agentctl('get', 'toolrun', 'greeted', '-o', 'json')).stdout,
    )
    expect(status).toMatchObject({ phase: 'Succeeded', outputs: { who: 'you' } })
    const later = await agentctl('logs', 'toolrun/greeted')
    expect(later).toMatchObject({ code: 0, stdout: 'hello you\n' })
    const refused = await agentctl('run', '--tool', 'greet', '--name', 'nobody-to-greet')
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('requires the parameter who')
    const long = [...flags, '--param', 'for=600', '--name', 'long-greeting', '--no-wait']
    expect((await agentctl(...long)).code).toBe(0)
    expect((await agentctl('cancel', 'toolrun/long-greeting')).code).toBe(0)
    await agentctl('wait', 'toolrun/long-greeting', '--for=condition=Finished')
    const explained = await agentctl('explain', 'toolrun', 'long-greeting')
    expect(explained.code).toBe(0)
    expect(explained.stdout).toContain('cancelled by spec.cancel')
  })

  test('the output of a run is the same live and later, byte for byte', async () => {
    const flags = ['--name', 'chatty', '-p', 'scriptedOutputBytes=3000000', '-q']
    const live = await agentctl(...scripted('big-output', ...flags))
    expect(live.code).toBe(0)
    const later = await agentctl('logs', '-f', '-q', 'chatty')
    expect(later.stdout.length).toBeGreaterThan(3_000_000)
    expect(later.stdout === live.stdout).toBe(true)
  })
})

describe('inspecting objects', () => {
  test('as JSON, YAML and names', async () => {
    const [json, yaml, name, all] = await Promise.all([
      agentctl('get', 'run', 'first-run', '-o', 'json'),
      agentctl('get', 'runs/first-run', '-o', 'yaml'),
      agentctl('get', 'ar', 'first-run', '-o', 'name'),
      agentctl('get', 'all', '-A', '-o', 'name'),
    ])
    const object = JSON.parse(json.stdout)
    expect(object).toMatchObject({ kind: 'AgentRun', status: { phase: 'Succeeded' } })
    expect(parse(yaml.stdout)).toEqual(object)
    expect(name.stdout).toBe('agentrun.agents.proompteng.ai/first-run\n')
    expect(all.stdout.split('\n')).toEqual(
      expect.arrayContaining([
        'agent.agents.proompteng.ai/scripted',
        'agentprovider.agents.proompteng.ai/scripted',
      ]),
    )
  })

  test('built-in kinds too, and objects that do not exist', async () => {
    const [pods, nobody, budgets] = await Promise.all([
      agentctl('get', 'pods'),
      agentctl('get', 'run', 'nobody'),
      agentctl('get', 'budgets'),
    ])
    expect(pods.stdout).toMatch(/first-run-job-\w+ +0\/1 +Completed/)
    expect(nobody).toMatchObject({
      code: 3,
      stderr:
        'error: agentruns.agents.proompteng.ai "nobody" not found\nTo list existing ones: agentctl get agentruns -A\n',
    })
    expect(budgets).toMatchObject({
      code: 0,
      stderr: 'No budgets found in namespace agents.\n',
    })
  })

  test('lists the newest objects first, or by name', async () => {
    const map = (name: string): string =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, labels: { of: 'order' } },
      })
    for (const name of ['order-b', 'order-c', 'order-a']) {
      expect((await agentctl('apply', '-f', file(`${name}.json`, map(name)))).code).toBe(0)
      // Creation times have a resolution of a second.
      await new Promise((resolve) => setTimeout(resolve, 1_100))
    }
    const listed = async (...flags: string[]) => {
      const { stdout } = await agentctl('-n', 'agents', 'get', 'cm', '-l', 'of=order', ...flags)
      return [...stdout.matchAll(/order-[abc]/g)].join(' ')
    }
    expect(await listed()).toBe('order-a order-c order-b')
    expect(await listed('-o', 'name')).toBe('order-a order-c order-b')
    expect(await listed('--sort-by', 'name')).toBe('order-a order-b order-c')
  })

  test('delete waits until objects are deleted, and continues after one that does not exist', async () => {
    const held = { name: 'held', finalizers: ['example.dev/hold'], labels: { of: 'deletion' } }
    const map = (metadata: object): string =>
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata })
    for (const metadata of [held, { name: 'free', labels: { of: 'deletion' } }]) {
      await agentctl('apply', '-f', file(`${metadata.name}.json`, map(metadata)))
    }
    const both = await agentctl('delete', 'cm', 'none', 'free')
    expect(both).toMatchObject({ code: 3, stdout: 'configmap/free deleted\n' })
    expect(both.stderr).toContain('configmaps "none" not found')
    const waited = await agentctl('delete', 'cm', 'held', '--timeout', '1s')
    expect(waited.code).toBe(124)
    expect(waited.stderr).toContain('agentctl describe configmap held shows its finalizers.')
    const requested = await agentctl('delete', 'cm', '-l', 'of=deletion', '--no-wait')
    expect(requested).toMatchObject({ code: 0, stdout: 'configmap/held is being deleted\n' })
    await agentctl('apply', '-f', file('held.json', map({ ...held, finalizers: [] })))
    expect((await agentctl('get', 'cm', 'held')).code).toBe(3)
    const unnamed = await agentctl('delete', 'cm')
    expect(unnamed).toMatchObject({ code: 2, stdout: '' })
    expect((await agentctl('get', 'cm', 'kube-root-ca.crt')).code).toBe(0)
  })

  test('watch prints changes until it is stopped', async () => {
    const watching = platform.start(['get', 'runs', '-w'])
    await watching.waitForOutput('first-run')
    await agentctl(...scripted('no-change', '--name', 'watched', '-q'))
    await watching.waitForOutput(/watched +Succeeded/)
    watching.child.kill('SIGINT')
    expect((await watching.finished).code).toBe(130)
  })

  test('describe prints conditions, children and events', async () => {
    const { stdout } = await agentctl('describe', 'run', 'first-run')
    expect(stdout).toMatch(/Conditions\n +TYPE +STATUS.*\n +Succeeded +True +Succeeded/)
    expect(stdout).toMatch(
      /Children\n(.*\n)* *Job\/first-run-job +Complete\n +Pod\/first-run-job-\w+ +Succeeded\n/,
    )
    // Of runs only failures are recorded as events.
    const agent = await agentctl('describe', 'agent', 'scripted')
    expect(agent.stdout).toMatch(/Events\n +TYPE +REASON.*\n(.*\n)* +Normal +\w+/)
  })

  test('explain describes the progress of a run, also as JSON', async () => {
    const [text, json, other] = await Promise.all([
      agentctl('explain', 'run', 'first-run'),
      agentctl('explain', 'run', 'first-run', '-o', 'json'),
      agentctl('explain', 'agent', 'scripted'),
    ])
    const yes = [...text.stdout.matchAll(/^ +yes +(\w+)/gm)].map(([, type]) => type)
    expect(yes).toEqual(['Accepted', 'Admitted', 'Started', 'Finished'])
    expect(text.stdout).toContain('Nothing: the run has ended')
    expect(JSON.parse(json.stdout).gates).toHaveLength(4)
    expect(other.code).toBe(2)
    expect(other.stderr).toContain('agentctl describe agent scripted')
  })

  test('version of both sides, and completion scripts for other shells', async () => {
    const [version, zsh, fish] = await Promise.all([
      agentctl('version'),
      agentctl('completion', 'zsh'),
      agentctl('completion', 'fish'),
    ])
    expect(version.stdout).toMatch(/^agentctl \d+\.\d+\.\d+ \(Node \d.*\)\nKubernetes v1\.\d+/)
    for (const { stdout } of [zsh, fish]) expect(stdout).toContain('agentctl __complete')
  })
})
