import {
  type Tool,
  type ToolRun,
  tool,
  toolRun,
  type VersionControlProvider,
  versionControlProvider,
} from '@agents/jangar-api'
import { isNotFound, JobKind, kindRef, PodKind, SecretKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import { pollOptions, type RunHarness, startHarness } from './run-harness.ts'

const tools = kindRef<Tool>(tool)
const toolRuns = kindRef<ToolRun>(toolRun)
const namespace = 'agents'

let harness: RunHarness
beforeAll(async () => {
  harness = await startHarness({
    environment: {
      JANGAR_AGENTS_CONTROLLER_SERVICE_ACCOUNTS_ALLOWED: 'builder',
      JANGAR_AGENTS_CONTROLLER_PLATFORM_SERVICE_ACCOUNTS: 'agents-controllers',
      JANGAR_AGENTS_CONTROLLER_BLOCKED_SECRETS: 'platform-key',
      POD_NAMESPACE: namespace,
    },
  })
})
afterAll(() => harness.stop())

/** A Tool whose program is this script. */
function script(text: string, spec: object = {}): object {
  return { image: 'local', command: ['/bin/sh', '-c'], args: [text], ...spec }
}

function createTool(name: string, spec: object): Promise<unknown> {
  return harness.client.create(tools, { metadata: { name, namespace }, spec } as never)
}

function createRun(name: string, spec: object = {}): Promise<unknown> {
  const whole = { toolRef: { name }, ...spec }
  return harness.client.create(toolRuns, { metadata: { name, namespace }, spec: whole } as never)
}

function get(name: string): Promise<ToolRun> {
  return harness.client.get(toolRuns, { namespace, name })
}

function cancel(name: string): Promise<unknown> {
  const patch = { type: 'merge', body: { spec: { cancel: true } } } as const
  return harness.client.patch(toolRuns, { namespace, name }, patch)
}

/** `True/Succeeded` */
function condition({ status }: ToolRun, type: string): string {
  const found = status?.conditions?.find((one) => one.type === type)
  return found ? `${found.status}/${found.reason}` : 'absent'
}

function message({ status }: ToolRun, type: string): string {
  return status?.conditions?.find((one) => one.type === type)?.message ?? ''
}

async function untilRun(name: string, holds: (run: ToolRun) => boolean): Promise<ToolRun> {
  let run = await get(name)
  await until(async () => {
    run = await get(name)
    return holds(run)
  }, `${name} did not get there`)
  return run
}

function finished(name: string): Promise<ToolRun> {
  return untilRun(name, (run) => condition(run, 'Finished').startsWith('True'))
}

/** Creates a Tool and a run of it. */
async function execute(name: string, spec: object, run: object = {}): Promise<ToolRun> {
  await createTool(name, spec)
  await createRun(name, run)
  return finished(name)
}

describe('a ToolRun', pollOptions, () => {
  test('runs the program once and reports its outputs', async () => {
    const spec = script(
      'printf \'{"sum": %s, "who": "%s"}\' "$TOOL_PARAM_THE_SUM" "$WHO" >"$TOOL_OUTPUTS"',
      {
        env: [{ name: 'WHO', value: '{{ toolRun.name }} of {{ tool.name }}' }],
      },
    )
    const run = await execute('add', spec, { parameters: { 'the-sum': '42' } })
    expect(condition(run, 'Succeeded')).toBe('True/Succeeded')
    expect(run.status).toMatchObject({
      phase: 'Succeeded',
      attempts: 1,
      exitCode: 0,
      outputs: { sum: 42, who: 'add of add' },
    })
    const [job] = await harness.jobsOf('add')
    expect(job?.metadata.name).toBe('add-tool')
    expect(job?.spec.backoffLimit).toBe(0)
  })

  test('passes a value as one argument that nothing expands', async () => {
    const hostile = '$(id) `id` "; id; $(SECRET) $SECRET \n{{ parameters.x }}'
    await createSecret('argument', { token: 'supersecretvalue' })
    const spec = {
      image: 'local',
      command: ['/bin/sh', '-c', 'printf "%s" "$#:$1:$2" >&2; exit 3', 'sh'],
      args: ['{{ parameters.x }}', `$${'{{ parameters.y }}'}`],
      env: [{ name: 'SECRET', valueFrom: { secretKeyRef: { name: 'argument', key: 'token' } } }],
    }
    const run = await execute('argument', spec, { parameters: { x: hostile, y: '(SECRET)' } })
    expect(condition(run, 'Succeeded')).toBe('False/JobFailed')
    expect(message(run, 'Succeeded')).toContain(`2:${hostile}:$(SECRET)`)
  })

  test('masks outputs, whatever their form, and the log of a failure', async () => {
    await createSecret('masked', { token: 'supersecretvalue', pin: '73195518' })
    const from = (key: string) => ({ secretKeyRef: { name: 'masked', key } })
    const env = [
      { name: 'TOKEN', valueFrom: from('token') },
      { name: 'PIN', valueFrom: from('pin') },
    ]
    const report = 'printf \'{"t": ["<%s>"], "n": %s}\' "$TOKEN" "$PIN" >"$TOOL_OUTPUTS"'
    const run = await execute('masked', script(report, { env }))
    expect(run.status?.outputs).toEqual({ t: ['<***>'], n: '***' })
    const failed = await execute('masked-log', script('echo "token $TOKEN"; exit 7', { env }))
    expect(message(failed, 'Succeeded')).toContain('exit code 7: token ***')
    expect(JSON.stringify([run, failed])).not.toMatch(/supersecretvalue|73195518/)
  })

  test.each([
    { name: 'not-json', text: 'echo hello', why: 'is not a JSON object' },
    { name: 'a-list', text: 'echo "[1]"', why: 'is not a JSON object' },
    { name: 'odd-name', text: `echo '{"__proto__": {"a": 1}}'`, why: 'has a name' },
    {
      name: 'large',
      text: 'printf \'{"a":"\'; head -c 5000 /dev/zero | tr "\\0" x; printf \'"}\'',
      why: 'has more than 4092 bytes',
    },
  ])('fails if its outputs cannot be read: $name', async ({ name, text, why }) => {
    const run = await execute(name, script(`(${text}) >"$TOOL_OUTPUTS"`, { retries: 2 }))
    expect(condition(run, 'Succeeded')).toBe('False/InvalidOutputs')
    expect(message(run, 'Succeeded')).toContain(why)
    expect(run.status).toMatchObject({ attempts: 1, exitCode: 0 })
    expect(run.status?.outputs).toBeUndefined()
  })

  test('is repeated only if it is asked for, with a Job for each attempt', async () => {
    const once = await execute('once', script('exit 1'))
    expect(condition(once, 'Succeeded')).toBe('False/JobFailed')
    expect(once.status?.attempts).toBe(1)
    const again = await execute('again', script('exit 1', { retries: 5 }), { retries: 1 })
    expect(condition(again, 'Succeeded')).toBe('False/RetriesExhausted')
    expect(again.status?.attempts).toBe(2)
    expect((await harness.jobsOf('again')).map(({ metadata }) => metadata.name)).toEqual([
      'again-tool-attempt-2',
    ])
    expect(harness.writes.filter((one) => one.startsWith('create jobs again'))).toEqual([
      'create jobs again-tool',
      'create jobs again-tool-attempt-2',
    ])
  })

  test('ends at its time limit, which the run sets before its Tool', async () => {
    const spec = script('sleep 60', { timeoutSeconds: 600 })
    const run = await execute('late', spec, { timeoutSeconds: 1 })
    expect(condition(run, 'Succeeded')).toBe('False/TimedOut')
    expect(await harness.jobsOf('late')).toEqual([])
  })

  test('is cancelled when its pod has ended', async () => {
    await createTool('cancelled', script('sleep 60'))
    await createRun('cancelled')
    await untilRun('cancelled', (run) => condition(run, 'Started') === 'True/Started')
    await cancel('cancelled')
    const run = await finished('cancelled')
    expect(condition(run, 'Succeeded')).toBe('False/Cancelled')
    expect(await harness.jobsOf('cancelled')).toEqual([])
    await cancelBeforeStart()
  })

  async function cancelBeforeStart() {
    await createRun('never')
    await untilRun('never', (run) => condition(run, 'Accepted') === 'False/DependencyMissing')
    await cancel('never')
    expect(condition(await finished('never'), 'Succeeded')).toBe('False/Cancelled')
  }

  test('is gone after its Job when it is deleted', async () => {
    await createTool('deleted', script('trap "sleep 0.3; exit 0" TERM; sleep 60 & wait'))
    await createRun('deleted')
    await untilRun('deleted', (run) => condition(run, 'Started') === 'True/Started')
    await harness.client.delete(toolRuns, { namespace, name: 'deleted' })
    await until(async () => await get('deleted').then(() => false, isNotFound))
    expect(await harness.jobsOf('deleted')).toEqual([])
    const { items } = await harness.client.list(PodKind, { namespace })
    expect(items.filter(({ metadata }) => metadata.name.startsWith('deleted-'))).toEqual([])
  })

  test('fails if its Job vanishes', async () => {
    await createTool('vanished', script('sleep 60'))
    await createRun('vanished')
    await untilRun('vanished', (run) => condition(run, 'Started') === 'True/Started')
    const key = { namespace, name: 'vanished-tool' }
    await harness.client.delete(JobKind, key, { propagationPolicy: 'Background' })
    expect(condition(await finished('vanished'), 'Succeeded')).toBe('False/JobMissing')
  })

  test('waits for its Tool, a valid spec of it, and its Secret, and is woken by each', async () => {
    await createRun('waits')
    const missing = await untilRun('waits', (run) => condition(run, 'Accepted') !== 'absent')
    expect(condition(missing, 'Accepted')).toBe('False/DependencyMissing')
    const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 'waits', key: 'b' } } }]
    await createTool('waits', { command: ['/bin/true'], env })
    const invalid = await untilRun(
      'waits',
      (run) => condition(run, 'Accepted') === 'False/DependencyNotReady',
    )
    expect(message(invalid, 'Accepted')).toContain('spec.image is missing')
    await harness.client.patch(
      tools,
      { namespace, name: 'waits' },
      { type: 'merge', body: { spec: { image: 'local' } } },
    )
    await untilRun('waits', (run) =>
      message(run, 'Accepted').includes('Secret waits does not exist'),
    )
    await createSecret('waits', { a: 'x' })
    await untilRun('waits', (run) => message(run, 'Accepted').includes('has no key b'))
    await harness.client.patch(
      SecretKind,
      { namespace, name: 'waits' },
      { type: 'merge', body: { data: { b: 'eA==' } } },
    )
    expect(condition(await finished('waits'), 'Succeeded')).toBe('True/Succeeded')
  })

  test.each([
    { name: 'own-account', spec: { serviceAccount: 'agents-controllers' }, why: 'platform' },
    { name: 'other-account', spec: { serviceAccount: 'admin' }, why: 'does not allow' },
    {
      name: 'default-token',
      spec: { automountServiceAccountToken: true },
      why: 'does not allow the token',
    },
  ])('may not use $name', async ({ name, spec, why }) => {
    const run = await execute(name, script('exit 0', spec))
    expect(condition(run, 'Accepted')).toBe('False/ServiceAccountNotAllowed')
    expect(message(run, 'Accepted')).toContain(why)
    expect(await harness.jobsOf(name)).toEqual([])
  })

  test('may not use a Secret that the platform blocks', async () => {
    const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 'platform-key', key: 'b' } } }]
    const run = await execute('blocked', script('exit 0', { env }))
    expect(condition(run, 'Accepted')).toBe('False/SecretBlocked')
  })

  test('may not use the credential of a VersionControlProvider', async () => {
    await harness.client.create(kindRef<VersionControlProvider>(versionControlProvider), {
      metadata: { name: 'hub', namespace },
      spec: { provider: 'github', auth: { token: { secretRef: { name: 'forge' } } } },
    } as never)
    const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 'forge', key: 'token' } } }]
    const run = await execute('forge', script('exit 0', { env }))
    expect(condition(run, 'Accepted')).toBe('False/SecretBlocked')
    expect(message(run, 'Accepted')).toContain('credential of VersionControlProvider hub')
    expect(await harness.jobsOf('forge')).toEqual([])
  })

  test.each([
    { name: 'unknown', parameters: { z: '' }, why: 'no parameter z; it has a, b' },
    { name: 'required', parameters: { b: 'x' }, why: 'requires the parameter a' },
    { name: 'permitted', parameters: { a: '', b: 'z' }, why: 'b must be one of x, y' },
  ])('is refused with wrong parameters: $name', async ({ name, parameters, why }) => {
    const declared = [
      { name: 'a', required: true },
      { name: 'b', default: 'x', enum: ['x', 'y'] },
    ]
    const run = await execute(name, script('exit 0', { parameters: declared }), { parameters })
    expect(condition(run, 'Accepted')).toBe('False/InvalidParameters')
    expect(message(run, 'Accepted')).toContain(why)
  })

  test('is refused if a template has no value', async () => {
    const spec = { image: 'local', command: ['/bin/echo', '{{ parameters.missing }}'] }
    const run = await execute('no-value', spec, { parameters: { x: '' } })
    expect(condition(run, 'Accepted')).toBe('False/InvalidTemplate')
    expect(message(run, 'Accepted')).toContain('parameters.missing does not exist')
  })

  test('is executed once for a deliveryId', async () => {
    await createTool('delivered', script('exit 0'))
    await createRun('delivered', { deliveryId: 'one' })
    await finished('delivered')
    await createRun('delivered-again', { toolRef: { name: 'delivered' }, deliveryId: 'one' })
    const second = await finished('delivered-again')
    expect(condition(second, 'Accepted')).toBe('False/DuplicateDelivery')
    expect(await harness.jobsOf('delivered-again')).toEqual([])
  })

  test('goes on after the controllers restart, beside an AgentRun of the same name', async () => {
    await createTool('twin', script('sleep 2; echo \'{"a": 1}\' >"$TOOL_OUTPUTS"'))
    await createRun('twin')
    await harness.create('twin', 'sleep 2')
    await untilRun('twin', (run) => condition(run, 'Started') === 'True/Started')
    await harness.restart()
    const run = await finished('twin')
    expect(condition(run, 'Succeeded')).toBe('True/Succeeded')
    expect(run.status).toMatchObject({ attempts: 1, outputs: { a: 1 } })
    expect((await harness.untilFinished('twin')).status?.phase).toBe('Succeeded')
    expect(harness.writes.filter((one) => one.startsWith('create jobs twin')).toSorted()).toEqual([
      'create jobs twin-job',
      'create jobs twin-tool',
    ])
  })

  test('is followed although its name is too long for a label', async () => {
    const name = `long-${'x'.repeat(90)}`
    const run = await execute(name, script('exit 0'))
    expect(condition(run, 'Succeeded')).toBe('True/Succeeded')
    expect(run.status?.attempts).toBe(1)
  })

  test('is deleted after its time', async () => {
    await execute('kept', script('exit 0'), { ttlSecondsAfterFinished: 1 })
    await until(async () => await get('kept').then(() => false, isNotFound))
  })
})

function createSecret(name: string, values: Record<string, string>): Promise<unknown> {
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  )
  return harness.client.create(SecretKind, { metadata: { name, namespace }, data } as never)
}
