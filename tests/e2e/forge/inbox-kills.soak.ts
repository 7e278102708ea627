import { env } from 'node:process'
import { afterAll, beforeAll, test } from 'vitest'
import { sendWhileKilled } from './inbox-kills.ts'
import { type RunningServices, startServices } from './services/services.ts'
import { type SourceBed, startSourceBed } from './source-bed.ts'

/** Of its own: they are killed. */
let services: RunningServices
let bed: SourceBed

beforeAll(async () => {
  services = await startServices(env)
  bed = await startSourceBed('inbox-kills', services)
  const spec = { provider: 'github', webhook: { enabled: true }, scope: { repository: 'o/r' } }
  await bed.source('issues', spec)
})

afterAll(() => bed?.stop())

test('10,000 deliveries at full speed take effect exactly once and in order, whatever is killed', async () => {
  await sendWhileKilled(bed, services, {
    issues: 100,
    changes: 100,
    kills: 10,
    longestMs: 3_600_000,
  })
}, 4_000_000)
