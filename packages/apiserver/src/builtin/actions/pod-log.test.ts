import { bearer, createKubeClient, type KubeClient, PodKind, staticCredentials } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiServer, startApiServer } from '../../server.ts'
import { ApiError } from '../../status/api-error.ts'

const pod = { namespace: 'default', name: 'talks' }
let server: ApiServer
let client: KubeClient
/** The next chunk of the log of `pod`. */
let say: (text: string) => void
const spoken = new Promise<string>((resolve) => {
  say = resolve
})

beforeAll(async () => {
  server = await startApiServer({
    logger: silentLogger,
    podLogs: async (_pod, { follow, tailLines }) => {
      if (tailLines === 7) throw new ApiError(409, 'Conflict', 'not today')
      return (async function* () {
        if (!follow) yield 'said\n'
        else yield await spoken
      })()
    },
  })
  client = createKubeClient({
    server: server.url,
    namespace: 'default',
    tls: { authority: () => Promise.resolve(server.caCertificate) },
    credentials: staticCredentials({ authorization: bearer(server.adminToken) }),
  })
  await client.create(PodKind, {
    metadata: pod,
    spec: { nodeName: 'local', containers: [{ name: 'main', image: 'local' }] },
  })
})

afterAll(async () => {
  client.close()
  await server.stop()
})

describe('the log of a container', () => {
  test('is streamed', async () => {
    expect(await textOf({})).toBe('said\n')
  })

  test('sends its headers before the first byte', async () => {
    const stream = await client.podLog(pod, { follow: true })
    say('at last\n')
    const lines: string[] = []
    for await (const line of stream.lines()) lines.push(line)
    expect(lines).toEqual(['at last'])
  })

  test('can be rejected by its source', async () => {
    await expect(textOf({ tailLines: 7 })).rejects.toMatchObject({ code: 409, reason: 'Conflict' })
  })

  test('of a previous container is rejected if there was none', async () => {
    await expect(textOf({ previous: true })).rejects.toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: expect.stringContaining(
        'previous terminated container "main" in pod "talks" not found',
      ),
    })
    const terminated = { exitCode: 1, containerID: 'local://1' }
    const main = { name: 'main', image: '', imageID: '', ready: true, restartCount: 1 }
    await client.patch(
      PodKind,
      pod,
      {
        type: 'merge',
        body: { status: { containerStatuses: [{ ...main, lastState: { terminated } }] } },
      },
      { subresource: 'status' },
    )
    expect(await textOf({ previous: true })).toBe('said\n')
  })
})

async function textOf(options: { previous?: boolean; tailLines?: number }): Promise<string> {
  const stream = await client.podLog(pod, options)
  let text = ''
  for await (const piece of stream) text += piece.toString()
  return text
}
