import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApiServer } from '@agents/apiserver'
import { createInformers, NodeKind } from '@agents/kube'
import { startLocalNode } from '@agents/local-node'
import { expect, onTestFinished, test } from 'vitest'
import { kubeletCertificates } from '../../support/testbed/kubelet-certificates.ts'
import { clientOf, logger } from './platform.ts'

test('only the API server may call the kubelet of a node', async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'agents-kubelet-'))
  onTestFinished(() => rm(stateDir, { recursive: true, force: true }))
  const server = await startApiServer({ logger })
  onTestFinished(() => server.stop())
  const client = clientOf(server)
  const informers = createInformers(client)
  const { authority, clientName, ...pairs } = kubeletCertificates()
  const node = await startLocalNode({
    ...{ client, informers, logger, stateDir, nodeName: 'local', mounts: 'paths' as const },
    baseEnvironment: {},
    kubelet: { ...pairs.server, clientAuthority: authority, clientName },
  })
  onTestFinished(async () => {
    await node.stop()
    await informers.stop()
    client.close()
  })
  const { status } = await client.get(NodeKind, { name: 'local' })
  const { daemonEndpoints } = status as { daemonEndpoints?: { kubeletEndpoint: { Port: number } } }
  const port = daemonEndpoints?.kubeletEndpoint.Port ?? 0

  const codeFor = (pair?: { key: string; certificate: string }): Promise<number | string> =>
    new Promise((resolve) => {
      const sent = request(
        {
          ...{ host: '127.0.0.1', port, path: '/exec/default/absent/main?output=1&command=id' },
          ...{ method: 'POST', ca: authority, agent: false },
          ...(pair && { key: pair.key, cert: pair.certificate }),
        },
        (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        },
      )
      sent.once('error', () => resolve('refused'))
      sent.end()
    })
  expect(await codeFor(pairs.client)).toBe(404)
  expect(await codeFor(pairs.stranger)).toBe(403)
  expect(await codeFor()).toBe('refused')
})
