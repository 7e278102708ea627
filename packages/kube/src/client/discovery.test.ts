import { describe, expect, test } from 'vitest'
import { systemClock } from '../clock/clock.ts'
import { serve } from '../testing/scripted-client.ts'
import { answerJson, failure } from '../testing/scripted-server.ts'

describe('discovery', () => {
  const aggregated = (resources: object[]) => ({
    kind: 'APIGroupDiscoveryList',
    items: [{ metadata: { name: 'batch' }, versions: [{ version: 'v1', resources }] }],
  })
  const jobs = {
    resource: 'jobs',
    responseKind: { kind: 'Job' },
    scope: 'Namespaced',
    verbs: ['get', 'list'],
    subresources: [{ subresource: 'status' }],
  }
  const batch = (resource: string) => ({ group: 'batch', version: 'v1', resource })

  test('is cached, and refreshed for a resource that was missing', async () => {
    let now = 1_000_000
    let served: object[] = []
    const { client, server } = await serve(
      ({ path }, response) =>
        answerJson(response, 200, path === '/api' ? aggregated([]) : aggregated(served)),
      { clock: { ...systemClock, elapsed: () => now } },
    )
    expect(await client.discovery.supports(batch('jobs'))).toBe(false)
    expect(await client.discovery.supports(batch('jobs'))).toBe(false)
    expect(server.requests).toHaveLength(2)
    served = [jobs]
    now += 20_000
    expect(await client.discovery.supports(batch('jobs'))).toBe(true)
    expect(await client.discovery.supports(batch('jobs'), { verbs: ['watch'] })).toBe(false)
    expect(server.requests).toHaveLength(4)
  })

  test('supports servers that list each group separately', async () => {
    const answers: Record<string, object> = {
      '/api': { kind: 'APIVersions', versions: ['v1'] },
      '/apis': {
        kind: 'APIGroupList',
        groups: [{ name: 'batch', versions: [{ version: 'v1' }, { version: 'v9' }] }],
      },
      '/api/v1': { resources: [] },
      '/apis/batch/v1': {
        resources: [
          { name: 'jobs', kind: 'Job', namespaced: true, verbs: ['get'] },
          { name: 'jobs/status', kind: 'Job', namespaced: true, verbs: ['patch'] },
        ],
      },
    }
    const { client } = await serve(({ path }, response) =>
      path in answers
        ? answerJson(response, 200, answers[path])
        : answerJson(response, 404, failure(404, 'NotFound')),
    )
    expect(await client.discovery.resources()).toEqual([
      {
        ...batch('jobs'),
        kind: 'Job',
        namespaced: true,
        verbs: ['get'],
        shortNames: [],
        categories: [],
        subresources: ['status'],
      },
    ])
  })
})
