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

test('10,000 deliveries at full speed take effect exactly once and in order, whatever is killed', async () => {
  await sendWhileKilled(bed, { issues: 100, changes: 100, kills: 10, longestMs: 3_600_000 })
}, 4_000_000)
