import { describe, expect, inject, test } from 'vitest'
import { stories } from './stories/stories.ts'
import { type KubectlVersion, tellStory } from './tell-story.ts'

const stage = inject('stage')
const versions: readonly KubectlVersion[] = ['1.32', '1.36']

describe.each(versions)('kubectl %s', (version) => {
  test.skipIf(stage === undefined).each(stories)(
    'cannot tell the servers apart: $name',
    async (story) => {
      if (stage === undefined) return
      const [embedded, real] = await Promise.all([
        tellStory(
          story,
          story.readsLogs === true ? stage.embeddedWithLogs : stage.embedded,
          version,
          stage,
        ),
        tellStory(story, stage.real, version, stage),
      ])
      expect(embedded.join('\n\n')).toBe(real.join('\n\n'))
      expect(real.join('\n\n')).not.toContain('[did not end]')
    },
  )
})
