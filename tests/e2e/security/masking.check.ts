import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigMapKind, EventKind, JobKind, PodKind, SecretKind } from '@agents/kube'
import { createLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  conditionText,
  messageOf,
  pollOptions,
  type RunHarness,
  type RunSpec,
  startHarness,
} from '../agent-runs/run-harness.ts'

const namespace = 'agents'
/** A value without a recognisable pattern. */
const key = 'correct horse/battery+staple'
const pem = '-----BEGIN KEY-----\nzyxwvutsrqponmlk\nabcdefghijklmnop\n-----END KEY-----\n'
/** Fragments that reveal the values. */
const leaks = [
  'horse/batt',
  'horse%2Fbatt',
  'battery',
  'zyxwvutsrq',
  'abcdefghij',
  Buffer.from(key).toString('base64').slice(4, 16),
  Buffer.from(key).toString('hex').slice(4, 16),
]

let harness: RunHarness
const log: string[] = []
beforeAll(async () => {
  harness = await startHarness({
    log: createLogger({ level: 'debug', sink: { write: (line) => log.push(line) } }),
  })
  const stringData = { OPENAI_API_KEY: key, PEM: pem, PIN: '42' }
  await harness.client.create(SecretKind, { metadata: { namespace, name: 'keys' }, stringData })
})
afterAll(() => harness.stop())

/** Everything that the platform has written. */
async function everything(): Promise<string> {
  const kinds = [JobKind, PodKind, ConfigMapKind, EventKind]
  const lists = await Promise.all(
    kinds.map((kind) => harness.client.list<never>(kind as never, { namespace })),
  )
  const runs = await harness.client.request({
    path: `/apis/agents.proompteng.ai/v1alpha1/namespaces/${namespace}/agentruns`,
  })
  return JSON.stringify([lists, log]) + runs.bytes.toString()
}

/** A file, and a script that goes on when the file exists. */
function gate() {
  const folder = mkdtempSync(join(tmpdir(), 'agents-masking-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'open')
  return {
    wait: `until [ -e ${file} ]; do sleep 0.05; done`,
    open: () => writeFileSync(file, ''),
  }
}

async function expectNoLeak(): Promise<void> {
  const text = await everything()
  expect(leaks.filter((leak) => text.includes(leak))).toEqual([])
}

const volume = { type: 'secret', name: 'keys', mountPath: '/workspace/keys', secretName: 'keys' }
const terminationLog = '"$AGENT_TERMINATION_MESSAGE_PATH"'

function report(message: string) {
  return JSON.stringify({
    outcome: 'failed',
    reason: 'X',
    message,
    exitCode: 1,
    outputs: { a: message },
  })
}

describe('what a program prints is masked without the runner', pollOptions, () => {
  test.each<{ because: string; script: string; spec?: RunSpec; shows: RegExp }>([
    {
      because: 'its last output',
      script: 'echo "key: $OPENAI_API_KEY"; exit 1',
      shows: /^exit code 1: key: \*\*\*$/,
    },
    {
      because: 'in base64',
      script: 'printf %s "$OPENAI_API_KEY" | base64; exit 1',
      shows: /exit code 1: \*\*\*/,
    },
    {
      because: 'in base64 with a newline',
      script: 'echo "$OPENAI_API_KEY" | base64; exit 1',
      shows: /exit code 1: \*\*\*/,
    },
    {
      because: 'inside of a header in base64',
      script: 'printf %s "user:$OPENAI_API_KEY" | base64; exit 1',
      shows: /exit code 1: .*\*\*\*/,
    },
    {
      because: 'in hexadecimal',
      script: 'printf %s "$OPENAI_API_KEY" | od -An -v -tx1 | tr -d " \\n"; exit 1',
      shows: /exit code 1: \*\*\*/,
    },
    {
      because: 'in a URL',
      script: 'printf %s "correct%20hor""se%2Fbat""tery%2Bstaple"; exit 1',
      shows: /exit code 1: \*\*\*/,
    },
    {
      because: 'a value of several lines',
      script: 'printf "%s\\n" "$PEM"; exit 1',
      shows: /^exit code 1: \*\*\*$/,
    },
    {
      because: 'some lines of a value of several lines',
      script: 'printf "%s" "$PEM" | tail -n 2 | head -n 1; exit 1',
      shows: /^exit code 1: \*\*\*$/,
    },
    {
      because: 'a file of a mounted Secret',
      script: 'cat keys/OPENAI_API_KEY; exit 1',
      spec: { secrets: [], workload: { volumes: [volume] } } as RunSpec,
      shows: /exit code 1: \*\*\*/,
    },
    {
      because: 'much output with the secret in the middle of each line',
      script: `i=0; while [ $i -lt 300 ]; do printf 'xxxxxxxxxxxxxxx%s' "$OPENAI_API_KEY"; i=$((i+1)); done; exit 1`,
      shows: /^exit code 1: …/,
    },
    {
      because: 'a message that it wrote itself',
      script: `printf %s "lost $OPENAI_API_KEY" > ${terminationLog}; exit 1`,
      shows: /^exit code 1: lost \*\*\*$/,
    },
    {
      because: 'a message that is cut',
      script: `i=0; while [ $i -lt 400 ]; do printf 'xxxxxxxxxxxxx%s' "$OPENAI_API_KEY"; i=$((i+1)); done > ${terminationLog}; exit 1`,
      shows: /^exit code 1: /,
    },
    {
      because: 'a report that pretends to be of the runner',
      script: `printf '${report('%s')}' "$OPENAI_API_KEY" "$OPENAI_API_KEY" > ${terminationLog}; exit 1`,
      shows: /^exit code 1: \*\*\*$/,
    },
  ])('$because', async ({ because, script, spec, shows }) => {
    const name = because.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
    await harness.create(name, script, { secrets: ['keys'], ...spec })
    const run = await harness.untilFinished(name)
    expect(conditionText(run, 'Succeeded')).toBe('False/JobFailed')
    // A program may choose to write anything to its termination message, which is in the status of its pod.
    if (script.includes(terminationLog)) await removePods(name)
    await expectNoLeak()
    expect(messageOf(run, 'Succeeded')).toMatch(shows)
  })

  test('a success shows no output, and its output is not read', async () => {
    await harness.create('fine', 'echo "$OPENAI_API_KEY"', { secrets: ['keys'] })
    const run = await harness.untilFinished('fine')
    expect(messageOf(run, 'Succeeded')).toBe('exit code 0')
    await expectNoLeak()
  })

  test('no output is shown if the Secret was deleted meanwhile', async () => {
    const metadata = { namespace, name: 'gone' }
    await harness.client.create(SecretKind, { metadata, stringData: { OPENAI_API_KEY: key } })
    const { wait, open } = gate()
    await harness.create('forgetful', `${wait}; echo "$OPENAI_API_KEY"; exit 1`, {
      secrets: ['gone'],
    })
    await harness.until('forgetful', (run) => conditionText(run, 'Started').startsWith('True'))
    await harness.client.delete(SecretKind, metadata)
    open()
    const run = await harness.untilFinished('forgetful')
    expect(messageOf(run, 'Succeeded')).toMatch(/output hidden: Secret gone was deleted/)
    await expectNoLeak()
  })

  test('no output is shown if the Secret changed meanwhile', async () => {
    const metadata = { namespace, name: 'rotated' }
    await harness.client.create(SecretKind, { metadata, stringData: { OPENAI_API_KEY: key } })
    const { wait, open } = gate()
    await harness.create('rotating', `${wait}; echo "$OPENAI_API_KEY"; exit 1`, {
      secrets: ['rotated'],
    })
    await harness.until('rotating', (run) => conditionText(run, 'Started').startsWith('True'))
    // Timestamps of the server have a resolution of one second.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await harness.client.patch(SecretKind, metadata, {
      type: 'merge',
      body: { stringData: { OPENAI_API_KEY: 'another value' } },
    })
    open()
    const run = await harness.untilFinished('rotating')
    expect(messageOf(run, 'Succeeded')).toMatch(/output hidden: Secret rotated was changed/)
    await expectNoLeak()
  })

  const large = (bytes: number) =>
    randomBytes(Math.ceil(bytes * 0.75))
      .toString('base64')
      .match(/.{1,64}/g) ?? []

  test('a Secret of 20 KB is masked like any other', async () => {
    const lines = large(20_000)
    const stringData = { BUNDLE: lines.join('\n') }
    await harness.client.create(SecretKind, { metadata: { namespace, name: 'bundle' }, stringData })
    const script = 'printf "%s" "$BUNDLE" | head -n 3; exit 1'
    await harness.create('bundled', script, { secrets: ['bundle'] })
    const run = await harness.untilFinished('bundled')
    expect(messageOf(run, 'Succeeded')).toBe('exit code 1: ***\n***\n***')
    const text = await everything()
    expect(lines.filter((line) => text.includes(line))).toEqual([])
  })

  test('no output is shown with a Secret of 1 MB, and the outcome is recorded', async () => {
    const lines = large(900_000)
    const stringData = { BUNDLE: lines.join('\n') }
    await harness.client.create(SecretKind, { metadata: { namespace, name: 'huge' }, stringData })
    const files = { ...volume, secretName: 'huge' }
    const script = 'head -n 3 keys/BUNDLE; exit 1'
    await harness.create('huge', script, { secrets: [], workload: { volumes: [files] } } as RunSpec)
    const run = await harness.untilFinished('huge')
    expect(conditionText(run, 'Succeeded')).toBe('False/JobFailed')
    expect(messageOf(run, 'Succeeded')).toMatch(
      /output is hidden because the Secrets of the run are too large/,
    )
    const text = await everything()
    expect(lines.slice(0, 500).filter((line) => text.includes(line))).toEqual([])
  })

  test('a binary Secret is masked in base64 and hexadecimal', async () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0x80]), randomBytes(30)])
    const data = { BYTES: bytes.toString('base64') }
    await harness.client.create(SecretKind, { metadata: { namespace, name: 'bytes' }, data })
    const files = { ...volume, secretName: 'bytes' }
    const script = 'base64 keys/BYTES; od -An -v -tx1 keys/BYTES | tr -d " \\n"; exit 1'
    await harness.create('bytes', script, {
      secrets: [],
      workload: { volumes: [files] },
    } as RunSpec)
    const run = await harness.untilFinished('bytes')
    expect(messageOf(run, 'Succeeded')).toMatch(/^exit code 1: \*\*\*\n\*\*\*$/)
  })

  test('values that are too short to be masked are named in the log', () => {
    expect(log.filter((line) => line.includes('too short to be masked')).join('')).toContain('PIN')
  })
})

async function removePods(run: string): Promise<void> {
  for (const job of await harness.jobsOf(run)) {
    await harness.client.delete(JobKind, job.metadata, { propagationPolicy: 'Background' })
  }
  const labelSelector = `agents.proompteng.ai/agent-run=${run}`
  const { items } = await harness.client.list(PodKind, { namespace, labelSelector })
  for (const pod of items) {
    await harness.client
      .delete(PodKind, pod.metadata, { gracePeriodSeconds: 0 })
      .catch(() => undefined)
  }
}
