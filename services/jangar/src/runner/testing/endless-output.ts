import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { largestProgramOutput } from './program-output.ts'
import { createHarness, shell } from './runner-harness.ts'

interface Amounts {
  /** More than the log of the runner takes. */
  readonly mebibytes: number
  readonly conversations: number
  /** The most memory, for bytes and for conversations. If omitted, it is not measured. */
  readonly most?: { readonly bytes: number; readonly conversations: number }
}

/** An agent that prints without end. */
export function testEndlessOutput({ mebibytes, conversations, most }: Amounts): void {
  const amount = mebibytes << 20

  describe(`an agent that prints ${mebibytes} MiB`, () => {
    test.each([
      { because: 'lines', script: `yes "some line of output" | head -c ${amount}` },
      { because: 'one line', script: `head -c ${amount} /dev/zero | tr '\\0' x` },
    ])('of $because gets it all passed on', async ({ script }) => {
      const harness = createHarness()
      const child = harness.start({ argv: shell(script) })
      const seen = await largestProgramOutput(child)
      expect(seen.exitCode).toBe(0)
      expect([0, 1]).toContain(seen.bytes - amount)
      expect(seen.peakMebibytes).toBeLessThan(most?.bytes ?? Number.POSITIVE_INFINITY)
      expect(harness.message()).toMatchObject({ outcome: 'succeeded' })
      const log = statSync(join(harness.workspace, '.agent', 'runner.log'))
      expect(log.size).toBeLessThan(65 << 20)
    })

    test('of events that each begin a conversation has them counted', async () => {
      const harness = createHarness()
      const events = `awk 'BEGIN { pad = sprintf("%2000s", ""); for (i = 0; i < ${conversations}; i++) {
      printf "{\\"type\\":\\"thread.started\\",\\"thread_id\\":\\"%d-%s\\"}\\n", i, pad
      print "{\\"type\\":\\"turn.completed\\",\\"usage\\":{\\"input_tokens\\":3,\\"output_tokens\\":1}}"
    } }'`
      const child = harness.start({ argv: ['--adapter', 'codex', ...shell(events)] })
      const seen = await largestProgramOutput(child)
      expect(seen.peakMebibytes).toBeLessThan(most?.conversations ?? Number.POSITIVE_INFINITY)
      expect(harness.message()?.usage).toMatchObject({
        inputTokens: conversations * 3,
        outputTokens: conversations,
      })
    })
  })
}
