import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type LocalPlatform, startPlatform } from '../agentctl/local-platform.ts'

let platform: LocalPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.remove())

const agentctl = (...args: string[]) => platform.agentctl(...args)
const scripted = (mode: string, ...more: string[]) => [
  ...['run', '--agent', 'scripted', '--text', 'Greet the reader', '-p', `scriptedMode=${mode}`],
  ...more,
]
const file = (name: string, text: string): string => {
  const path = join(platform.stateDir, name)
  writeFileSync(path, text)
  return path
}
const apiVersion = 'agents.proompteng.ai/v1alpha1'

describe('agentctl up', () => {
  test('a second one on the same state is told who runs', async () => {
    const { code, stderr } = await agentctl('up', '--secure-port', '0')
    expect(code).toBe(1)
    expect(stderr).toContain(
      `runs already: process ${platform.up().child.pid}, at https://127.0.0.1:`,
    )
    expect(stderr).toContain('agentctl down')
  })

  test('a port that is taken is named, with what to do', async () => {
    const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(platform.up().stderr()) ?? []
    const other = join(platform.stateDir, 'other')
    const { code, stderr } = await agentctl('up', '--state-dir', other, '--secure-port', port)
    expect(code).toBe(1)
    expect(stderr).toContain(`another program listens on port ${port}`)
    expect(stderr).toContain('--secure-port')
  })

  test('a command that finds no platform says how to get one', async () => {
    const none = join(platform.stateDir, 'none')
    const [get, doctor, down] = await Promise.all([
      agentctl('get', 'runs', '--state-dir', none),
      agentctl('doctor', '--state-dir', none),
      agentctl('down', '--state-dir', none),
    ])
    expect([get.code, doctor.code, down.code]).toEqual([3, 1, 0])
    expect(get.stderr).toContain('agentctl up starts a platform')
    expect(doctor.stdout).toMatch(/bad +kubeconfig .*\n +agentctl up starts a platform/)
    expect(down.stdout).toBe(`No platform runs in ${none}.\n`)
  })
})

describe('runs', () => {
  test('in steps, from a file, followed and looked at later', async () => {
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
    expect(followed.stdout).toMatch(/nothing is to be changed\n(.*\n)*edited AGENT_NOTES.md\n/)
    const later = await agentctl('logs', 'in-steps', '--tail', '1')
    expect(later.stderr).toContain('-- step build')
  })

  test('over attempts: the output of each, as it comes', async () => {
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
    expect(stdout.match(/this does not work out/g)).toHaveLength(2)
    expect(stderr).toContain('-- attempt 2')
  })

  test('one whose agent comes later goes on by itself', async () => {
    const created = await agentctl(
      'run',
      '-a',
      'late',
      '-t',
      'Wait',
      '--name',
      'patient',
      '--no-wait',
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

  test('Ctrl-C on a follower leaves the run alone; cancel ends it, once', async () => {
    await agentctl(...scripted('hang', '--name', 'unharmed', '--no-wait'))
    const follower = platform.start(['logs', '-f', 'unharmed'])
    await follower.says('thinking')
    follower.child.kill('SIGINT')
    expect((await follower.finished).code).toBe(130)
    expect((await agentctl('get', 'run', 'unharmed')).stdout).toMatch(/unharmed +Running/)
    expect((await agentctl('cancel', 'unharmed')).stdout).toBe('unharmed cancelled\n')
    const again = await agentctl('cancel', 'unharmed')
    expect(again).toMatchObject({ code: 0, stdout: 'unharmed had ended already: Cancelled\n' })
    const never = await agentctl('wait', 'run', 'unharmed', '--for=condition=Succeeded')
    expect(never.code).toBe(1)
    expect(never.stderr).toContain('has ended and says False: Cancelled')
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

describe('looking at things', () => {
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

  test('kinds of the cluster too, and what is not there', async () => {
    const [pods, nobody, budgets] = await Promise.all([
      agentctl('get', 'pods'),
      agentctl('get', 'run', 'nobody'),
      agentctl('get', 'budgets'),
    ])
    expect(pods.stdout).toMatch(/first-run-job-\w+ +0\/1 +Completed/)
    expect(nobody).toMatchObject({
      code: 3,
      stderr:
        'error: agentruns.agents.proompteng.ai "nobody" not found\nagentctl get agentruns -A lists those that there are.\n',
    })
    expect(budgets).toMatchObject({
      code: 0,
      stderr: 'There are no budgets in namespace agents.\n',
    })
  })

  test('watch shows what changes until it is stopped', async () => {
    const watching = platform.start(['get', 'runs', '-w'])
    await watching.says('first-run')
    await agentctl(...scripted('no-change', '--name', 'watched', '-q'))
    await watching.says(/watched +Succeeded/)
    watching.child.kill('SIGINT')
    expect((await watching.finished).code).toBe(130)
  })

  test('describe has conditions, children and events', async () => {
    const { stdout } = await agentctl('describe', 'run', 'first-run')
    expect(stdout).toMatch(/Conditions\n +TYPE +STATUS.*\n +Succeeded +True +Succeeded/)
    expect(stdout).toMatch(
      /Children\n(.*\n)* *Job\/first-run-job +Complete\n +Pod\/first-run-job-\w+ +Succeeded\n/,
    )
    expect(stdout).toMatch(/Events\n +TYPE +REASON.*\n(.*\n)* +Normal +Succeeded/)
  })

  test('explain tells the story of a run, also to programs', async () => {
    const [text, json, other] = await Promise.all([
      agentctl('explain', 'run', 'first-run'),
      agentctl('explain', 'run', 'first-run', '-o', 'json'),
      agentctl('explain', 'agent', 'scripted'),
    ])
    const yes = [...text.stdout.matchAll(/^ +yes +(\w+)/gm)].map(([, type]) => type)
    expect(yes).toEqual(['Accepted', 'Admitted', 'Started', 'Finished'])
    expect(text.stdout).toContain('Nothing: it has ended')
    expect(JSON.parse(json.stdout).gates).toHaveLength(4)
    expect(other.code).toBe(2)
    expect(other.stderr).toContain('agentctl describe agent scripted')
  })

  test('version of both sides, and scripts for every shell', async () => {
    const [version, zsh, fish] = await Promise.all([
      agentctl('version'),
      agentctl('completion', 'zsh'),
      agentctl('completion', 'fish'),
    ])
    expect(version.stdout).toMatch(/^agentctl \d+\.\d+\.\d+ \(Node \d.*\)\nKubernetes v1\.\d+/)
    for (const { stdout } of [zsh, fish]) expect(stdout).toContain('agentctl __complete')
  })
})
