import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { largestProgramOutput } from './testing/program-output.ts'
import { createHarness, shell } from './testing/runner-harness.ts'

describe('an agent that prints a gigabyte', () => {
  test.each([
    { because: 'lines', script: 'yes "some line of output" | head -c 1073741824' },
    { because: 'one line', script: "head -c 1073741824 /dev/zero | tr '\\0' x" },
  ])('of $because gets it all passed on, in little memory', async ({ script }) => {
    const harness = createHarness()
    const child = harness.start({ argv: shell(script) })
    const seen = await largestProgramOutput(child)
    expect(seen.exitCode).toBe(0)
    expect(seen.bytes - (1 << 30)).toBeLessThan(2)
    expect(seen.peakMebibytes).toBeLessThan(400)
    expect(harness.message()).toMatchObject({ outcome: 'succeeded' })
    const log = statSync(join(harness.workspace, '.agent', 'runner.log'))
    expect(log.size).toBeLessThan(65 << 20)
  })

  test('of events that each begin a conversation has them counted in little memory', async () => {
    const harness = createHarness()
    const events = `awk 'BEGIN { pad = sprintf("%2000s", ""); for (i = 0; i < 150000; i++) {
      printf "{\\"type\\":\\"thread.started\\",\\"thread_id\\":\\"%d-%s\\"}\\n", i, pad
      print "{\\"type\\":\\"turn.completed\\",\\"usage\\":{\\"input_tokens\\":3,\\"output_tokens\\":1}}"
    } }'`
    const child = harness.start({ argv: ['--adapter', 'codex', ...shell(events)] })
    const seen = await largestProgramOutput(child)
    expect(seen.peakMebibytes).toBeLessThan(250)
    expect(harness.message()?.usage).toMatchObject({
      inputTokens: 450_000,
      outputTokens: 150_000,
    })
  })
})
