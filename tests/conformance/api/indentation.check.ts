import { beforeAll } from 'vitest'
import { conformance } from './suite.ts'

conformance('indentation', ({ client, namespace, same }) => {
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const paths: readonly (readonly [string, string, number])[] = [
    ['an object', `${maps}/a`, 200],
    ['an error', `${maps}/none`, 404],
    ['a list', `${maps}?fieldSelector=metadata.name%3Da`, 200],
    ['the resources of a group', '/apis/apps/v1', 200],
    ['the groups', '/apis', 200],
    ['the version', '/version', 200],
  ]

  beforeAll(async () => {
    await client.send('POST', maps, { metadata: { name: 'a' }, data: { a: '1' } })
  })

  const agents: readonly (readonly [string, string])[] = [
    ['curl/8.5.0', ''],
    ['Wget/1.21', ''],
    ['Mozilla/5.0 (X11)', ''],
    ['curl/8.5.0', '?pretty=false'],
    ['curl/8.5.0', '?pretty=0'],
    ['kubectl/v1.36.0', ''],
    ['kubectl/v1.36.0', '?pretty=true'],
    ['kubectl/v1.36.0', '?pretty=1'],
    ['kubectl/v1.36.0', '?pretty='],
    ['a curl/8.5.0', ''],
    ['CURL/8.5.0', ''],
  ]
  for (const [agent, query] of agents) {
    same(`aggregated discovery for ${agent} ${query}`, 200, async () => {
      const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
      const answer = await client.get(`/apis${query}`, { accept, headers: { 'user-agent': agent } })
      return { ...answer, body: answer.text.slice(0, 3) }
    })
    for (const [what, at, code] of paths) {
      same(`${what} for ${agent} ${query}`, code, async () => {
        const headers = { 'user-agent': agent }
        const answer = await client.get(
          at.includes('?') ? at + query.replace('?', '&') : at + query,
          { headers },
        )
        return { ...answer, body: answer.text.slice(0, 3) }
      })
    }
  }
})
