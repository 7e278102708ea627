import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentctlPath, repository, startProgram } from '../../support/agentctl/local-platform.ts'
import { type UsedPlatform, usePlatform } from '../../support/agentctl/use-shared-platform.ts'
import { runTool } from '../../support/tools/run-tool.ts'

// Whole processes on busy machines: the timeouts detect hangs, not slowness.
const pollOptions = { timeout: 300_000 }

let platform: UsedPlatform
beforeAll(async () => {
  platform = await usePlatform({ AGENTCTL_COMPLETION_TIMEOUT: '4m' })
}, 300_000)

function agentctl(...args: string[]) {
  return platform.agentctl(...args)
}

function kubectl(...args: string[]) {
  return runTool(['kubectl', '1.36'], args, { kubeconfig: platform.kubeconfig, timeoutMs: 240_000 })
}

function scripted(mode: string, ...more: string[]) {
  return [
    ...['run', '--agent', 'scripted', '--text', 'Greet the reader', '-p', `scriptedMode=${mode}`],
    ...more,
  ]
}

describe('agentctl up', pollOptions, () => {
  test('shows the sample run, its output and what to try next', () => {
    const { stdout, stderr } = platform.shared
    // Intermediate states may be too short to be shown.
    expect(stderr).toMatch(/A first run, .*\n(.*\n)*first-run {2}Succeeded/)
    expect(stdout).toMatch(/^reading the task: .*\n(.*\n)*committed [0-9a-f]+\ndone\n/)
    expect(stdout).toContain(`export KUBECONFIG=${platform.kubeconfig}`)
    expect(stdout).toContain('kubectl get agentruns -n agents')
    expect(stdout).not.toContain('{"time"')
  })

  test('keeps keys, kubeconfig and platform record private to the user', () => {
    for (const name of [
      'kubeconfig',
      'kubeconfig.json',
      'platform.json',
      'platform.log',
      'cluster/pki/admin.token',
    ]) {
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

test(
  'text from the cluster is printed without letting it control the terminal',
  pollOptions,
  async () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    const obeyed = /[\u001b\u0007\u009b\u202e\r]/
    const hostile = 'all is well\u001b[2J\u001b]52;c;cm0=\u0007\u009b31m\u202e\rReady'
    const run = ['agentrun', 'first-run', '-n', 'agents']
    const event = {
      ...{ apiVersion: 'v1', kind: 'Event', type: 'Normal', reason: 'Hostile', message: hostile },
      metadata: { name: 'hostile', namespace: 'agents' },
      involvedObject: { apiVersion: 'agents.proompteng.ai/v1alpha1', kind: 'AgentRun' },
    }
    const { stdout: uid } = await kubectl('get', ...run, '-o', 'jsonpath={.metadata.uid}')
    Object.assign(event.involvedObject, { name: 'first-run', namespace: 'agents', uid })
    const file = join(platform.stateDir, 'event.json')
    await writeFile(file, JSON.stringify(event))
    await kubectl('create', '-f', file)
    for (const words of [
      ['describe', 'run', 'first-run'],
      ['explain', 'run', 'first-run'],
      ['get', 'events'],
    ]) {
      const { stdout, stderr } = await agentctl(...words)
      expect(stdout, words.join(' ')).toContain(
        'all is well^[[2J^[]52;c;cm0=^G<U+009B>31m<U+202E>^MReady',
      )
      expect(stdout + stderr, words.join(' ')).not.toMatch(obeyed)
    }
    const { stdout } = await agentctl('get', 'events', 'hostile', '-o', 'json')
    expect(stdout).not.toMatch(obeyed)
    expect(JSON.parse(stdout).message, 'as data it is unchanged').toBe(hostile)
  },
)

describe('runs', pollOptions, () => {
  test('success is exit code 0, with progress separate from the agent’s output', async () => {
    const { code, stdout, stderr } = await agentctl(...scripted('succeed', '--name', 'greeting'))
    expect(code).toBe(0)
    expect(stdout).toMatch(/^reading the task: Greet the reader\n(.*\n)*done\n$/)
    expect(stderr).toMatch(/agentrun\S*\/greeting created\n(.*\n)*greeting {2}Succeeded/)
  })

  test('failure is exit code 1, and the message contains the program’s exit code', async () => {
    const { code, stdout, stderr } = await agentctl(...scripted('fail', '-p', 'scriptedExitCode=7'))
    expect(code).toBe(1)
    expect(stdout).toContain('cannot complete the task')
    expect(stderr).toMatch(/Failed {2}JobFailed: .*exit code 7/)
  })

  test('explain reports that a run waits for its agent', async () => {
    const flags = ['--name', 'patient', '--wait-timeout', '1s']
    const waiting = await agentctl('run', '-a', 'late', '-t', 'Wait', ...flags, '--wait-for-agent')
    expect(waiting.code).toBe(124)
    expect(waiting.stderr).toContain('agentctl cancel patient')
    const waits = ['agentrun/patient', '--for=condition=Accepted=False', '--timeout=200s']
    expect((await kubectl('wait', '-n', 'agents', ...waits)).code).toBe(0)
    const { stdout } = await agentctl('explain', 'run', 'patient')
    expect(stdout).toMatch(/no {4}Accepted {2}DependencyMissing \(no since .*\n.*Agent late/)
    expect(stdout).toMatch(/open {2}Admitted {2}Blocked/)
    expect(stdout).toContain('Create what is missing; the run then continues automatically.')
  })

  test('input that is not text is rejected before anything is created', async () => {
    const binary = ['run', '--agent', 'scripted', '--text', `@${process.execPath}`]
    const refused = await agentctl(...binary, '--name', 'binary')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('is not UTF-8 text')
    expect((await agentctl('get', 'run', 'binary')).code).toBe(3)
  })

  test('attach runs a command beside a running agent, and needs one', async () => {
    const started = await agentctl(...scripted('hang', '--name', 'watched', '--no-wait'))
    expect(started.code).toBe(0)
    const script = 'echo "in $AGENT_RUN_NAME"; exit 9'
    const words = ['attach', 'watched', '--', 'sh', '-c', script]
    await expect.poll(async () => (await agentctl(...words)).code, pollOptions).toBe(9)
    expect((await agentctl('cancel', 'watched')).code).toBe(0)
    await expect
      .poll(async () => (await agentctl('attach', 'watched', '--', 'true')).stderr, pollOptions)
      .toContain('run watched has no running pod')
  })

  test('a cancelled run is exit code 4 for a follower', async () => {
    await agentctl(...scripted('hang', '--name', 'endless', '--no-wait'))
    const follower = platform.start(['logs', '-f', 'endless'])
    await follower.waitForOutput('thinking, and thinking')
    expect(await agentctl('cancel', 'endless')).toMatchObject({
      code: 0,
      stdout: 'endless cancelled\n',
    })
    const { code, stderr } = await follower.finished
    expect(code).toBe(4)
    expect(stderr).toMatch(/endless {2}Cancelled/)
  })

  test('names that do not exist are refused before anything is created', async () => {
    const { code, stderr } = await agentctl(
      ...['run', '-a', 'scriptd', '-t', 'x', '--secret', 'none', '--name', 'mistyped'],
    )
    expect(code).toBe(2)
    expect(stderr).toContain('Agent "scriptd" does not exist in namespace agents; did you mean')
    expect(stderr).toContain('Secret "none" does not exist')
    expect(stderr).toContain('--wait-for-agent')
    expect((await agentctl('get', 'run', 'mistyped')).code).toBe(3)
  })

  test('a run that does not exist does not keep the others from being cancelled', async () => {
    const late = ['-a', 'late', '-t', 'Wait', '--name', 'unwanted', '--no-wait']
    expect((await agentctl('run', ...late, '--wait-for-agent')).code).toBe(0)
    const { code, stdout, stderr } = await agentctl('cancel', 'nobody', 'run/unwanted')
    expect(code).toBe(3)
    expect(stdout).toBe('unwanted cancelled\n')
    expect(stderr).toContain('"nobody" not found')
    const words = await agentctl('logs', 'unwanted')
    expect(words.stderr).toContain('it never started (Cancelled)')
  })
})

describe('other commands', pollOptions, () => {
  test('get prints the same tables as kubectl', async () => {
    const [ours, theirs] = await Promise.all([
      agentctl('get', 'agentruns', 'first-run', '-o', 'wide'),
      kubectl('get', 'agentruns', 'first-run', '-o', 'wide'),
    ])
    // Ages may differ between the two calls.
    const shape = (text: string) => text.replaceAll(/\d+[smh]\w*/g, 'AGE').replaceAll(/ +/g, ' ')
    expect(shape(ours.stdout)).toBe(shape(theirs.stdout))
  })

  test('several kinds are printed in order, and a label selector without matches is named', async () => {
    const [several, none, unclear] = await Promise.all([
      agentctl('get', 'agents,providers', '-o', 'name'),
      agentctl('get', 'runs', '-l', 'team=web'),
      agentctl('get', 'all', 'first-run'),
    ])
    expect(several.stdout).toBe(
      'agent.agents.proompteng.ai/scripted\nagentprovider.agents.proompteng.ai/scripted\n',
    )
    expect(none.stderr).toBe('No agentruns with team=web found in namespace agents.\n')
    expect([several.code, none.code, unclear.code]).toEqual([0, 0, 2])
  })

  test('doctor finds no problem, and errors have no colours', async () => {
    const [doctor, mistyped] = await Promise.all([agentctl('doctor'), agentctl('gte', 'runs')])
    expect(doctor.stdout).toMatch(/ok +kinds +all 25 are installed/)
    expect(doctor.stdout).toMatch(/ok +policies +all 31 are installed and bound/)
    expect(doctor.stdout).toMatch(/ok +controllers +running in process/)
    expect([doctor.code, mistyped.code]).toEqual([0, 2])
    expect(mistyped.stderr).toContain('Did you mean "agentctl get"?')
    expect(doctor.stdout + mistyped.stderr).not.toContain('\x1b')
  })

  test('doctor checks only what is requested, and suggests a fix', async () => {
    const rules = [
      { namespace: 'agents', rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
    ]
    const [all, gone, unclear] = await Promise.all([
      agentctl('doctor', '--crds', '--rbac', '--rules', JSON.stringify(rules), '-o', 'json'),
      // A port on which none of our programs ever listens.
      agentctl('doctor', '--grpc', '127.0.0.1:9', '--rbac'),
      agentctl('doctor', '--http', 'agents'),
    ])
    expect([all.code, gone.code, unclear.code]).toEqual([0, 1, 2])
    expect(JSON.parse(all.stdout)).toEqual([
      {
        about: 'rbac',
        verdict: 'good',
        says: expect.stringMatching(/ has all 1 required permissions/),
      },
      { about: 'crds', verdict: 'good', says: expect.stringMatching(/^all 25 kinds are served/) },
    ])
    expect(gone.stdout).toMatch(
      /^bad +grpc +127\.0\.0\.1:9: the connection was refused\n +Check .*\nok +permissions +you may/,
    )
  })

  test('the bash completion is valid bash, and completes names from the cluster', async () => {
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

  test('Ctrl-C reaches the program through its launcher on an old Node, also if only the launcher gets it', async () => {
    const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })`
    const words = ['--import', `data:text/javascript,${old}`, agentctlPath, 'get', 'runs', '-w']
    const launched = startProgram(process.execPath, words, {
      AGENTCTL_STATE_DIR: platform.stateDir,
    })
    await launched.waitForOutput('first-run')
    launched.child.kill('SIGINT')
    expect(await launched.finished).toMatchObject({ code: 130, stderr: '' })
  })

  test('completion offers nothing for an unresponsive cluster, and does not hang', async () => {
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

// Last, because the tests above count the objects.
describe('commands without the runner', pollOptions, () => {
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

  test('a last line without a newline is unchanged, and separate from the messages about the run', async () => {
    const { code, stdout, stderr } = await shell('unended', 'printf "no end"')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'no end' })
    expect(stderr).toContain('\n\n')
  })

  test('a Job that gets no pod is explained by the events of the cluster', async () => {
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

  test('attempts that were deleted before they could be shown are counted', async () => {
    const base = join(folder, 'retried.yaml')
    const kind = 'apiVersion: agents.proompteng.ai/v1alpha1\nkind: AgentRun\n'
    const spec = 'spec: {runtime: {type: job}, retries: 2, retryBackoffSeconds: 0}\n'
    await writeFile(base, `${kind}metadata: {name: any}\n${spec}`)
    const { code, stdout, stderr } = await shell('retried', 'echo tried; exit 7', '-f', base)
    expect(code).toBe(1)
    const shown = stdout.split('tried').length - 1
    const missing = [
      '',
      'The output of 1 of 3 attempts is not shown',
      'The output of 2 of 3 attempts is not shown',
      'has no output: its pods are deleted',
    ]
    expect(stderr).toContain(missing[3 - shown])
    expect(stderr).toContain(
      'retried  Failed  RetriesExhausted: attempt 3 of 3: exit code 7: tried',
    )
  })
})
