import { expect, test } from 'vitest'
import { createHarness, shell, vcs } from '../testing/runner-harness.ts'
import { startUploadServer } from '../testing/upload-server.ts'

const secret = 'planted-secret-0123456789'

/** Runs a script whose uploads arrive here. */
async function uploadsOf(script: string, run: object = {}, runner: object = {}) {
  const harness = createHarness()
  const { received, env } = await startUploadServer(harness.root)
  harness.createRemote()
  const ran = await harness.run({
    run: { vcs: vcs(harness.remotes), ...run },
    runner: { cli: 'codex', secretEnv: ['KEY'], ...runner },
    argv: shell(script),
    env: { KEY: secret, ...env },
  })
  return { ran, received, transcript: received.get('transcript.md')?.body ?? '' }
}

function event(value: object): string {
  return `echo '${JSON.stringify(value)}'`
}

test('what the agent said and did, and how it ended, is uploaded as Markdown', async () => {
  const usage = { input_tokens: 280, cached_input_tokens: 80, output_tokens: 50 }
  const { ran, received, transcript } = await uploadsOf(
    [
      event({ type: 'thread.started', thread_id: 'x' }),
      event({ type: 'item.started', item: { type: 'command_execution', command: 'ls' } }),
      event({ type: 'item.completed', item: { type: 'agent_message', text: '## Done <b>' } }),
      event({ type: 'turn.completed', usage }),
      'echo oops >&2; echo hello > hello.txt',
    ].join('; '),
  )
  expect(ran.message).toMatchObject({ reason: 'Succeeded' })
  expect(received.get('transcript.md')?.query.get('contentType')).toBe(
    'text/markdown; charset=utf-8',
  )
  expect(transcript).toMatch(/^# Run demo\n/)
  for (const block of [
    '## Task\n\n    Do it well.\n',
    '### Tool\n\n    shell ls\n',
    '### Agent\n\n    ## Done <b>\n',
    '### Output\n\n    oops\n',
  ]) {
    expect(transcript).toContain(block)
  }
  const end = transcript.slice(transcript.indexOf('\n## End\n'))
  expect(end).toContain('    Outcome: Succeeded, exit code 0\n')
  expect(end).toMatch(/ {4}Pushed: agents\/demo at [0-9a-f]{40}\n/)
  expect(end).toContain('    Usage: 280 tokens in, 80 of them cached, 50 tokens out\n')
})

test('a secret is not in it, however the agent spells it', async () => {
  const spelled = [...secret].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('')
  const text = `{"type":"item.completed","item":{"type":"agent_message","text":"${spelled}"}}`
  const { transcript } = await uploadsOf(
    `printf '%s\\n' '${text}'; echo $KEY; echo $KEY >&2; exit 3`,
    {
      implementation: { text: `Use ${secret}.`, summary: '' },
    },
  )
  expect(transcript).toContain('### Agent\n\n    ***\n')
  expect(transcript).toContain('    Outcome: ProgramFailed, exit code 3\n')
  expect(transcript).not.toContain(secret)
})

test('of a program that prints prose is its output', async () => {
  const { transcript } = await uploadsOf('echo "I changed it."', {}, { cli: 'aider' })
  expect(transcript).toContain('### Output\n\n    I changed it.\n')
})
