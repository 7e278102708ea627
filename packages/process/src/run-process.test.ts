import { flag, text } from '@agents/config'
import { LeadershipLost } from '@agents/controller'
import { systemEffects } from '@agents/kube'
import { tracingSettings } from '@agents/tracing'
import { describe, expect, test } from 'vitest'
import { runProcess, type ServicePorts } from './run-process.ts'
import { logSettings } from './settings/frame-settings.ts'

const settings = {
  log: logSettings('DEMO'),
  tracing: tracingSettings,
  greeting: text('DEMO_GREETING', { doc: 'What it says.', fallback: 'hello' }),
  signature: text('DEMO_SIGNATURE', { doc: 'Who says it.', secret: true, optional: true }),
  token: text('DEMO_TOKEN', { doc: 'How it logs in.', secret: true, optional: true }),
  isLoud: flag('DEMO_LOUD', { doc: 'Whether it shouts.', fallback: false }),
}

type Serve = (ports: ServicePorts<unknown>) => Promise<void>

async function runDemo(
  environment: Readonly<Record<string, string>>,
  serve: Serve = async () => undefined,
) {
  let output = ''
  let errors = ''
  const code = await runProcess(
    {
      name: 'demo',
      service: 'agents-demo',
      version: '1.2.3',
      settings,
      rules: [],
      known: { prefix: 'DEMO_', settings },
      startFields: ({ greeting }) => ({ says: greeting }),
      serve,
    },
    {
      ...systemEffects(environment),
      output: { write: (line: string) => (output += line) },
      errors: { write: (line: string) => (errors += line) },
      identity: 'one',
      stop: new AbortController().signal,
    },
  )
  const lines = output
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Record<string, unknown> => JSON.parse(line))
  return { code, output, errors, lines }
}

describe('the start of a process', () => {
  test('is logged with its name, version and identity', async () => {
    const { lines } = await runDemo({})
    expect(lines[0]).toMatchObject({
      message: 'process starting',
      process: 'demo',
      version: '1.2.3',
      identity: 'one',
      says: 'hello',
    })
  })

  test('logs the effective configuration with secrets masked', async () => {
    const environment = { DEMO_LOUD: 'yes', DEMO_TOKEN: 'hunter2', DEMO_SIGNATURE: 'hunter3' }
    const { lines, output } = await runDemo(environment)
    const line = lines.find(({ message }) => message === 'configuration')
    expect(line).toMatchObject({ DEMO_GREETING: 'hello', DEMO_LOUD: true, DEMO_SIGNATURE: 'set' })
    expect(line).toHaveProperty('DEMO_TOKEN')
    expect(output).not.toContain('hunter')
  })

  test('omits unset variables from the configuration, secrets included', async () => {
    const { lines } = await runDemo({})
    const line = lines.find(({ message }) => message === 'configuration')
    expect(line).not.toHaveProperty('DEMO_TOKEN')
    expect(line).not.toHaveProperty('DEMO_SIGNATURE')
  })

  test('warns about variables that nothing reads', async () => {
    const { lines } = await runDemo({ DEMO_GREETNIG: 'hi' })
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'unknown variable',
        variable: 'DEMO_GREETNIG',
        didYouMean: 'DEMO_GREETING',
      }),
    )
  })
})

describe('the exit code', () => {
  test('is 78 for an invalid setting, which is reported before anything is logged', async () => {
    const { code, errors, output } = await runDemo({ DEMO_LOUD: 'perhaps' })
    expect(code).toBe(78)
    expect(errors).toContain('DEMO_LOUD')
    expect(output).toBe('')
  })

  test('is 0 when the service ends by itself', async () => {
    expect((await runDemo({})).code).toBe(0)
  })

  test.each([
    {
      because: 'a failure',
      error: new Error('no disk'),
      level: 'error',
      message: 'process failed',
    },
    {
      because: 'a lost Lease',
      error: new LeadershipLost('lost'),
      level: 'warn',
      message: 'leadership lost, exiting',
    },
  ])('is 1 after $because', async ({ error, level, message }) => {
    const { code, lines } = await runDemo({}, () => Promise.reject(error))
    expect(code).toBe(1)
    expect(lines.at(-1)).toMatchObject({ level, message, process: 'demo' })
  })
})
