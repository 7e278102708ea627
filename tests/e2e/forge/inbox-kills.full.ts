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

test('each acknowledged delivery takes effect exactly once and in order, whatever is killed', async () => {
  await sendWhileKilled(bed, services, { issues: 40, changes: 50, kills: 3, longestMs: 240_000 })
})
