import { join } from 'node:path'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { isRecording } from '../../support/testbed/recorded-servers.ts'
import { openRecording } from '../../support/testbed/recording.ts'
import { isFull } from '../../support/tier.ts'
import { type KubectlVersion, playScenario } from './play-scenario.ts'
import type { Scenario } from './scenario.ts'
import type { Server } from './server.ts'
import { scenarios } from './stories/stories.ts'

const stage = inject('stage')
const recorded = '1.36'

describe(`kubectl ${recorded}`, () => {
  const recording = openRecording(join(import.meta.dirname, `generated/kubectl-${recorded}.json`))
  afterAll(() => recording.save())

  test.each(scenarios)('prints what it prints for the real server: $name', async (scenario) => {
    for (const transcript of await transcriptsOf(scenario, recorded)) {
      recording.expectSame(scenario.name, transcript.split('\n'))
      expect(transcript).not.toContain('[did not end]')
    }
  })
})

if (isFull && stage.real !== undefined && !isRecording) {
  describe('kubectl 1.32', () => {
    test.each(scenarios)('prints the same for both servers: $name', async (scenario) => {
      const [embedded, real] = await transcriptsOf(scenario, '1.32')
      expect(embedded).toBe(real)
      expect(real).not.toContain('[did not end]')
    })
  })
}

/** Of the embedded server and, in full, of the real one. */
async function transcriptsOf(scenario: Scenario, version: KubectlVersion): Promise<string[]> {
  const transcripts = await Promise.all(
    serversOf(scenario).map((server) => playScenario(scenario, server, version, stage)),
  )
  return transcripts.map((lines) => lines.join('\n\n'))
}

function serversOf({ readsLogs, onNode }: Scenario): readonly Server[] {
  const { embedded, embeddedWithLogs, real } = stage
  const ours = readsLogs === true || onNode === true ? embeddedWithLogs : embedded
  const theirs = real === undefined ? [] : [real]
  return isRecording ? theirs : [ours, ...theirs]
}
