import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { chart, render } from '../../support/chart/render.ts'
import { buildGoClient } from '../../support/grpc/go-client.ts'
import { freePort } from '../../support/testbed/free-port.ts'
import { realClusterAvailable } from '../../support/testbed/real-cluster.ts'
import { beyond, grantedRights } from './rights/granted-rights.ts'
import { alone, apart, api, artifacts } from './rights/measured-values.ts'
import { driveMirror } from './rights/mirror-scenario.ts'
import { installRelease, type Release } from './rights/released-processes.ts'
import { driveRuns } from './rights/run-scenario.ts'
import { isUnseen } from './rights/unseen-rights.ts'
import { driveUploads } from './rights/upload-scenario.ts'
import { refusedRequests, usedRights } from './rights/used-rights.ts'

const availability = await realClusterAvailable()

const local = { JANGAR_AGENT_RUNNER_IMAGE: 'local' }

describe.skipIf(!availability.available)('on a real kube-apiserver', () => {
  test('each account has exactly the permissions that it uses in a release of every process', async () => {
    const release = await installRelease(apart)
    await release.kubectl(['create', 'secret', 'generic', 'token', '--from-literal=a=1'])
    await release.kubectl(['create', 'configmap', 'flags', '--from-literal=a=1'])
    await release.runToEnd('Job', 'agents-crds')
    await release.runToEnd('Pod', 'agents-test', ['--crds', '--timeout=60s'])
    await release.startNode()
    const grpcToken = 'a-token-of-the-grpc-server'
    const apiPort = String(await freePort())
    const apiSettings = { JANGAR_API_PORT: apiPort, JANGAR_API_HOST: '127.0.0.1' }
    const processes = await Promise.all([
      release.start('agents', { JANGAR_GRPC_TOKEN: grpcToken, ...apiSettings }),
      release.start('agents-controllers', local),
      release.start('agents-gittarget'),
    ])
    for (const name of ['agents', 'agents-controllers', 'agents-gittarget']) {
      await release.runToEnd('Pod', `${name}-test-rbac`)
    }
    await askWhoLeads(`127.0.0.1:${await processes[0].grpcPort}`, grpcToken)
    const token = await release.kubectl(['create', 'token', 'default'])
    const runs = await fetch(`http://127.0.0.1:${apiPort}/v1/runs`, {
      headers: { authorization: `Bearer ${token.trim()}` },
    })
    expect(await runs.json()).toMatchObject({ items: [] })
    await Promise.all([driveRuns(release), driveMirror(release)])
    for (const { child, ended } of processes) {
      child.kill('SIGTERM')
      await ended
    }
    await expectExactRights(release)
  })

  test('so has the control plane if it does the work of the controllers', async () => {
    const release = await installRelease(alone)
    await release.kubectl(['create', '--filename', join(chart, 'crds')])
    await release.startNode()
    const { child, ended } = await release.start('agents', local)
    await driveRuns(release)
    child.kill('SIGTERM')
    await ended
    await expectExactRights(release)
  })

  test.each([
    { because: 'in separate processes', values: { controllers: { enabled: true } } },
    { because: 'in one process', values: {} },
  ])(
    'a store of artifacts adds exactly the permissions of uploads, $because',
    async ({ values }) => {
      const folder = await mkdtemp(join(tmpdir(), 'agents-kept-'))
      onTestFinished(() => rm(folder, { recursive: true, force: true }))
      const release = await installRelease({ ...values, api, artifacts })
      await release.kubectl(['create', '--filename', join(chart, 'crds')])
      await release.startNode({ hasPrograms: true })
      const port = String(await freePort())
      const url = `http://127.0.0.1:${port}`
      const settings = {
        ...{ ...local, JANGAR_API_PORT: port, JANGAR_API_HOST: '127.0.0.1' },
        ...{ JANGAR_ARTIFACTS_FOLDER: folder, JANGAR_ARTIFACTS_UPLOAD_URL: url },
      }
      const names = release.objects
        .filter(({ kind }) => kind === 'Deployment')
        .map(({ metadata }) => metadata.name)
      const processes = await Promise.all(names.map((name) => release.start(name, settings)))
      await driveUploads(release, url)
      for (const { child, ended } of processes) {
        child.kill('SIGTERM')
        await ended
      }
      const before = grantedRights((await render({ ...values, api })).objects)
      const added = beyond(grantedRights(release.objects), before)
      expect(added).not.toEqual([])
      const requests = await release.audit.read()
      expect(refusedRequests(requests)).toEqual([])
      const used = [...usedRights(requests)].flatMap(([account, rights]) =>
        [...rights].map((right) => `${account}: ${right}`),
      )
      expect(added.filter((right) => !used.includes(right))).toEqual([])
    },
  )
})

async function expectExactRights({ audit, objects }: Release): Promise<void> {
  const requests = await audit.read()
  expect(refusedRequests(requests)).toEqual([])
  const used = usedRights(requests)
  const unused = [...grantedRights(objects)].flatMap(([account, rights]) =>
    [...rights]
      .filter((right) => !used.get(account)?.has(right) && !isUnseen(right))
      .map((right) => `${account}: ${right}`),
  )
  expect(unused).toEqual([])
  const seen = [...used.values()].flatMap((rights) => [...rights]).filter(isUnseen)
  expect(seen, 'these have requests after all: take them out of unseenRights').toEqual([])
}

async function askWhoLeads(address: string, token: string): Promise<void> {
  const call = await buildGoClient()
  if (call === undefined) throw new Error('there is no Go to ask over gRPC')
  const method = { service: 'AgentctlService', method: 'GetControlPlaneStatus' } as const
  const { messages, ended } = call(address, { ...method, request: { namespace: 'agents' }, token })
  expect(await ended).toMatchObject({ code: 'OK' })
  expect(messages).toHaveLength(1)
}
