import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runTool } from '../tools/run-tool.ts'
import {
  agentctlPath,
  type LocalPlatform,
  repository,
  startPlatformIn,
  startProgram,
} from './local-platform.ts'

// Whole processes on busy machines: limits for hangs, not for speed. tests/agentctl-long has what takes longer.
const patience = { timeout: 300_000 }

let platform: LocalPlatform
beforeAll(async () => {
  platform = await startPlatformIn({ AGENTCTL_COMPLETION_TIMEOUT: '4m' })
}, 300_000)
afterAll(() => platform.remove(), 120_000)

const agentctl = (...args: string[]) => platform.agentctl(...args)
const kubectl = (...args: string[]) =>
  runTool(['kubectl', '1.36'], args, { kubeconfig: platform.kubeconfig, timeoutMs: 240_000 })
const scripted = (mode: string, ...more: string[]) => [
  ...['run', '--agent', 'scripted', '--text', 'Greet the reader', '-p', `scriptedMode=${mode}`],
  ...more,
]

describe('agentctl up', patience, () => {
  test('shows the sample run, its output and what to try next', () => {
    const { stdout, stderr } = platform.up()
    // What it does in between may be over before anybody can look.
    expect(stderr()).toMatch(/A first run, .*\n(.*\n)*first-run {2}Succeeded/)
    expect(stdout()).toMatch(/^reading the task: .*\n(.*\n)*committed [0-9a-f]+\ndone\n/)
    expect(stdout()).toContain(`export KUBECONFIG=${platform.kubeconfig}`)
    expect(stdout()).toContain('kubectl get agentruns -n agents')
    expect(stdout()).not.toContain('{"time"')
  })

  test('keeps keys, kubeconfig and record from other users', () => {
    for (const name of ['kubeconfig', 'platform.json', 'platform.log', 'cluster/pki/admin.token']) {
      expect([name, statSync(join(platform.stateDir, name)).mode & 0o077]).toEqual([name, 0])
    }
  })

  test('kubectl sees everything with the printed kubeconfig', async () => {
    const listed = await kubectl('get', 'agentruns', '-n', 'agents')
    expect(listed.stdout).toMatch(/^NAME +PHASE .*\nfirst-run +Succeeded +scripted +True/)
    const waited = await kubectl('wait', '--for=condition=Succeeded', 'agentrun/first-run')
    expect(waited.stdout).toContain('condition met')
    const logs = await kubectl('logs', 'job/first-run-job')
    expect(logs.stdout).toContain('edited AGENT_NOTES.md')
    expect((await kubectl('get', 'nodes')).stdout).toMatch(/^local +Ready/m)
  })
})

describe('runs', patience, () => {
  test('success is exit code 0, with progress apart from what the agent says', async () => {
    const { code, stdout, stderr } = await agentctl(...scripted('succeed', '--name', 'greeting'))
    expect(code).toBe(0)
    expect(stdout).toMatch(/^reading the task: Greet the reader\n(.*\n)*done\n$/)
    expect(stderr).toMatch(/agentrun\S*\/greeting created\n(.*\n)*greeting {2}Succeeded/)
  })

  test('failure is exit code 1, with the program’s own code in words', async () => {
    const { code, stdout, stderr } = await agentctl(...scripted('fail', '-p', 'scriptedExitCode=7'))
    expect(code).toBe(1)
    expect(stdout).toContain('this does not work out')
    expect(stderr).toMatch(/Failed {2}JobFailed: .*exit code 7/)
  })

  test('one that waits for its agent is explained', async () => {
    const flags = ['--name', 'patient', '--wait-timeout', '1s']
    const waiting = await agentctl('run', '-a', 'late', '-t', 'Wait', ...flags)
    expect(waiting.code).toBe(124)
    expect(waiting.stderr).toContain('agentctl cancel patient')
    const waits = ['agentrun/patient', '--for=condition=Accepted=False', '--timeout=200s']
    expect((await kubectl('wait', '-n', 'agents', ...waits)).code).toBe(0)
    const { stdout } = await agentctl('explain', 'run', 'patient')
    expect(stdout).toMatch(/no {4}Accepted {2}DependencyMissing since .*\n.*Agent late/)
    expect(stdout).toMatch(/open {2}Admitted {2}Blocked/)
    expect(stdout).toContain('Create what is missing, and it goes on by itself.')
  })

  test('what is no text is refused before anything is created', async () => {
    const binary = ['run', '--agent', 'scripted', '--text', `@${process.execPath}`]
    const refused = await agentctl(...binary, '--name', 'binary')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('is no text in UTF-8')
    expect((await agentctl('get', 'run', 'binary')).code).toBe(3)
  })

  test('cancelled is exit code 4 for who follows', async () => {
    await agentctl(...scripted('hang', '--name', 'endless', '--no-wait'))
    const follower = platform.start(['logs', '-f', 'endless'])
    await follower.says('thinking, and thinking')
    expect(await agentctl('cancel', 'endless')).toMatchObject({
      code: 0,
      stdout: 'endless cancelled\n',
    })
    const { code, stderr } = await follower.finished
    expect(code).toBe(4)
    expect(stderr).toMatch(/endless {2}Cancelled/)
  })

  test('one that is not there keeps none of the others from being cancelled', async () => {
    await agentctl('run', '-a', 'late', '-t', 'Wait', '--name', 'unwanted', '--no-wait')
    const { code, stdout, stderr } = await agentctl('cancel', 'nobody', 'run/unwanted')
    expect(code).toBe(3)
    expect(stdout).toBe('unwanted cancelled\n')
    expect(stderr).toContain('"nobody" not found')
    const words = await agentctl('logs', 'unwanted')
    expect(words.stderr).toContain('it never began (Cancelled)')
  })
})

describe('the others', patience, () => {
  test('get shows the tables of kubectl', async () => {
    const [ours, theirs] = await Promise.all([
      agentctl('get', 'agentruns', 'first-run', '-o', 'wide'),
      kubectl('get', 'agentruns', 'first-run', '-o', 'wide'),
    ])
    // Ages may move on between the two.
    const shape = (text: string) => text.replaceAll(/\d+[smh]\w*/g, 'AGE').replaceAll(/ +/g, ' ')
    expect(shape(ours.stdout)).toBe(shape(theirs.stdout))
  })

  test('several kinds are shown one after the other, and a label that nothing has is named', async () => {
    const [several, none, unclear] = await Promise.all([
      agentctl('get', 'agents,providers', '-o', 'name'),
      agentctl('get', 'runs', '-l', 'team=web'),
      agentctl('get', 'all', 'first-run'),
    ])
    expect(several.stdout).toBe(
      'agent.agents.proompteng.ai/scripted\nagentprovider.agents.proompteng.ai/scripted\n',
    )
    expect(none.stderr).toBe('There are no agentruns with team=web in namespace agents.\n')
    expect([several.code, none.code, unclear.code]).toEqual([0, 0, 2])
  })

  test('doctor finds nothing bad, and errors have no colours', async () => {
    const [doctor, mistyped] = await Promise.all([agentctl('doctor'), agentctl('gte', 'runs')])
    expect(doctor.stdout).toMatch(/ok +kinds +all 23 are installed/)
    expect(doctor.stdout).toMatch(/ok +controllers +at work in process/)
    expect([doctor.code, mistyped.code]).toEqual([0, 2])
    expect(mistyped.stderr).toContain('Did you mean "agentctl get"?')
    expect(doctor.stdout + mistyped.stderr).not.toContain('\x1b')
  })

  test('doctor looks only at what it is asked for, and says what to do', async () => {
    const rules = [
      { namespace: 'agents', rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
    ]
    const [all, gone, unclear] = await Promise.all([
      agentctl('doctor', '--crds', '--rbac', '--rules', JSON.stringify(rules), '-o', 'json'),
      // A port on which nothing of ours ever listens.
      agentctl('doctor', '--grpc', '127.0.0.1:9', '--rbac'),
      agentctl('doctor', '--http', 'agents'),
    ])
    expect([all.code, gone.code, unclear.code]).toEqual([0, 1, 2])
    expect(JSON.parse(all.stdout)).toEqual([
      { about: 'rbac', verdict: 'good', says: expect.stringMatching(/ has all 1 rights/) },
      { about: 'crds', verdict: 'good', says: expect.stringMatching(/^all 23 kinds are served/) },
    ])
    expect(gone.stdout).toMatch(
      /^bad +grpc +127\.0\.0\.1:9: nobody listens there\n +Look at .*\nok +permissions +you may/,
    )
  })

  test('the bash script is bash, and completes names from the cluster', async () => {
    const [script, runs, agents, spaces, nowhere] = await Promise.all([
      agentctl('completion', 'bash'),
      agentctl('__complete', 'logs', 'first'),
      agentctl('__complete', 'run', '--agent', ''),
      agentctl('__complete', 'get', 'runs', '-n', 'age'),
      agentctl('__complete', 'run', '--kubeconfig', '/no/such/file', '--agent', ''),
    ])
    expect(spawnSync('bash', ['-n'], { input: script.stdout }).status).toBe(0)
    expect(runs.stdout).toBe('first-run\n')
    expect(agents.stdout).toContain('scripted\n')
    expect(spaces.stdout).toBe('agents\n')
    expect(nowhere).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  test('Ctrl-C reaches the program through its launcher on an old Node, also where that alone gets it', async () => {
    const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })`
    const words = ['--import', `data:text/javascript,${old}`, agentctlPath, 'get', 'runs', '-w']
    const launched = startProgram(process.execPath, words, {
      AGENTCTL_STATE_DIR: platform.stateDir,
    })
    await launched.says('first-run')
    launched.child.kill('SIGINT')
    expect(await launched.finished).toMatchObject({ code: 130, stderr: '' })
  })

  test('a cluster that does not answer offers nothing, and keeps nobody waiting', async () => {
    const mute = createServer().listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const { port } = mute.address() as AddressInfo
    const folder = await mkdtemp(join(tmpdir(), 'agents-mute-'))
    try {
      const kubeconfig = join(folder, 'kubeconfig')
      const text = await readFile(platform.kubeconfig, 'utf8')
      await writeFile(kubeconfig, text.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`))
      const environment = { AGENTCTL_COMPLETION_TIMEOUT: '200ms', KUBECONFIG: kubeconfig }
      const words = [agentctlPath, '__complete', 'run', '--agent', '']
      const { finished } = startProgram(process.execPath, words, environment)
      expect(await finished).toMatchObject({ code: 0, stdout: '', stderr: '' })
    } finally {
      mute.close()
      await rm(folder, { recursive: true })
    }
  })
})

// The last, for those before it count what there is.
describe('commands without the runner', patience, () => {
  const shell = (name: string, command: string, ...more: string[]) => {
    const words = ['run', '--name', name, '--agent', 'shell', '--text', 'Try it', ...more]
    return agentctl(...words, '-p', `command=${command}`)
  }
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agents-shell-'))
    const agent = join(folder, 'agent.yaml')
    const kind = 'apiVersion: agents.proompteng.ai/v1alpha1\nkind: Agent\n'
    await writeFile(agent, `${kind}metadata: {name: shell}\nspec: {providerRef: {name: shell}}\n`)
    const provider = join(repository, 'charts/agents/examples/agentprovider-shell.yaml')
    const applied = await agentctl('apply', '-f', provider, '-f', agent)
    expect(applied.code).toBe(0)
  }, 300_000)
  afterAll(() => rm(folder, { recursive: true }))

  test('a last line without an end stays as it is, and apart from what is said about the run', async () => {
    const { code, stdout, stderr } = await shell('unended', 'printf "no end"')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'no end' })
    expect(stderr).toContain('\n\n')
  })

  test('a Job that gets no pod is explained by what the cluster says about it', async () => {
    const base = join(folder, 'unserved.yaml')
    const kind = 'apiVersion: agents.proompteng.ai/v1alpha1\nkind: AgentRun\n'
    const runtime = 'runtime: {type: job, config: {serviceAccount: nobody}}'
    await writeFile(base, `${kind}metadata: {name: any, namespace: other}\nspec: {${runtime}}\n`)
    const flags = ['-f', base, '--no-wait', '-n', 'agents']
    expect((await shell('unserved', 'exit 0', ...flags)).code).toBe(0)
    let explained = ''
    while (!explained.includes('FailedCreate')) {
      ;({ stdout: explained } = await agentctl('explain', 'run', 'unserved'))
    }
    expect(explained).toMatch(/FailedCreate +Job unserved-job: Error creating: .*serviceaccount/i)
  })

  test('attempts that were gone before they could be shown are counted', async () => {
    const base = join(folder, 'retried.yaml')
    const kind = 'apiVersion: agents.proompteng.ai/v1alpha1\nkind: AgentRun\n'
    const spec = 'spec: {runtime: {type: job}, retries: 2, retryBackoffSeconds: 0}\n'
    await writeFile(base, `${kind}metadata: {name: any}\n${spec}`)
    const { code, stdout, stderr } = await shell('retried', 'echo tried; exit 7', '-f', base)
    expect(code).toBe(1)
    const shown = stdout.split('tried').length - 1
    const missing = [
      '',
      'Of 3 attempts one is not',
      'Of 3 attempts 2 are not',
      'left nothing to show',
    ]
    expect(stderr).toContain(missing[3 - shown])
    expect(stderr).toContain(
      'retried  Failed  RetriesExhausted: attempt 3 of 3: exit code 7: tried',
    )
  })
})
