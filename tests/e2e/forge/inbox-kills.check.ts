import { afterAll, beforeAll, test } from 'vitest'
import { sendWhileKilled } from './inbox-kills.ts'
import { type SourceBed, startSourceBed } from './source-bed.ts'

let bed: SourceBed

beforeAll(async () => {
  bed = await startSourceBed()
  const spec = { provider: 'github', webhook: { enabled: true }, scope: { repository: 'o/r' } }
  await bed.source('issues', spec)
})

afterAll(() => bed?.stop())

test('each acknowledged delivery takes effect exactly once and in order, whatever is killed', async () => {
  await sendWhileKilled(bed, { issues: 40, changes: 50, kills: 3, longestMs: 240_000 })
})
