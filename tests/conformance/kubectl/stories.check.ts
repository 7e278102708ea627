import { describe, expect, inject, test } from 'vitest'
import { type KubectlVersion, playScenario } from './play-scenario.ts'
import { scenarios } from './stories/stories.ts'

const stage = inject('stage')
const versions: readonly KubectlVersion[] = ['1.32', '1.36']

describe.each(versions)('kubectl %s', (version) => {
  test.skipIf(stage === undefined).each(scenarios)(
    'prints the same for both servers: $name',
    async (scenario) => {
      if (stage === undefined) return
      const [embedded, real] = await Promise.all([
        playScenario(
          scenario,
          scenario.readsLogs === true || scenario.onNode === true
            ? stage.embeddedWithLogs
            : stage.embedded,
          version,
          stage,
        ),
        playScenario(scenario, stage.real, version, stage),
      ])
      expect(embedded.join('\n\n')).toBe(real.join('\n\n'))
      expect(real.join('\n\n')).not.toContain('[did not end]')
    },
  )
})
