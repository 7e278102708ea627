import { describe, expect, inject, test } from 'vitest'
import { stories } from './stories/stories.ts'
import { type KubectlVersion, tellStory } from './tell-story.ts'

const servers = inject('servers')
const versions: readonly KubectlVersion[] = ['1.32', '1.36']

describe.each(versions)('kubectl %s', (version) => {
  test.skipIf(servers === undefined).each(stories)(
    'cannot tell the servers apart: $name',
    async (story) => {
      if (servers === undefined) return
      const [embedded, real] = await Promise.all([
        tellStory(story, servers.embedded, version),
        tellStory(story, servers.real, version),
      ])
      expect(embedded.join('\n\n')).toBe(real.join('\n\n'))
    },
  )
})
