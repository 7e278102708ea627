import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RenderedObject } from '@agents/chart-tools'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chart, render, valuesFile } from '../../support/chart/render.ts'
import {
  type RealCluster,
  realClusterAvailable,
  startRealCluster,
} from '../../support/testbed/real-cluster.ts'
import { runTool } from '../../support/tools/run-tool.ts'

const availability = await realClusterAvailable()
const digest = `sha256:${'a'.repeat(64)}`
/** API groups that a cluster may serve in addition to Kubernetes. */
const foreign = ['monitoring.coreos.com', 'gateway.networking.k8s.io']

const profiles: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(
    ['dev', 'kind', 'ci'].map((name) => [name, valuesFile(`values-${name}.yaml`)]),
  ),
  prod: { ...valuesFile('values-prod.yaml'), image: { digest } },
  ...Object.fromEntries(
    ['default', 'controllers', 'ha', 'cluster', 'multi-namespace', 'everything'].map((name) => [
      name,
      valuesFile(`ci/${name}-values.yaml`) ?? {},
    ]),
  ),
}

describe.skipIf(!availability.available)('on a real kube-apiserver', () => {
  let cluster: RealCluster
  let home: string

  const kubectl = (args: readonly string[], stdin = '') =>
    runTool(['kubectl', '1.36'], args, {
      kubeconfig: join(home, 'kubeconfig'),
      stdin,
      timeoutMs: 120_000,
    })

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'agents-strict-'))
    cluster = await startRealCluster({ fsync: false })
    await copyFile(cluster.kubeconfigPath, join(home, 'kubeconfig'))
    await chmod(join(home, 'kubeconfig'), 0o600)
    const namespaces = ['agents', 'team-a', 'team-b'].map((name) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      // Workloads whose pods would not be admitted cause a warning.
      metadata: { name, labels: { 'pod-security.kubernetes.io/warn': 'restricted' } },
    }))
    // The accounts of the test pods, which a dry run does not create.
    const accounts = ['agents-sa', 'agents-controllers', 'agents-gittarget', 'agents-test'].map(
      (name) => ({
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name, namespace: 'agents' },
      }),
    )
    const text = [...namespaces, ...accounts].map((object) => JSON.stringify(object)).join('\n')
    expect(await kubectl(['create', '--filename', '-'], text)).toMatchObject({ code: 0 })
    const definitions = ['create', '--filename', join(chart, 'crds')]
    expect(await kubectl(definitions)).toMatchObject({ code: 0, stderr: '' })
    const established = ['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']
    expect(await kubectl(established)).toMatchObject({ code: 0 })
  })

  afterAll(async () => {
    await cluster?.stop()
    if (home) await rm(home, { recursive: true, force: true })
  })

  test.each(Object.keys(profiles))(
    'every object of the profile %s is accepted unchanged, without a warning',
    async (profile) => {
      const { objects, errors } = await render(profiles[profile])
      expect(errors).toBe('')
      const known = objects.filter(
        ({ apiVersion }) => !foreign.some((group) => String(apiVersion).startsWith(`${group}/`)),
      )
      expect(known.length).toBeGreaterThan(5)
      const text = known.map((object) => JSON.stringify(object)).join('\n')
      const apply = ['apply', '--server-side', '--dry-run=server', '--validate=strict']
      const { code, stdout, stderr } = await kubectl([...apply, '--filename', '-'], text)
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout.trim().split('\n')).toHaveLength(known.length)
    },
  )

  test.each<{ because: string; change: (object: RenderedObject) => string; message: string }>([
    {
      because: 'a field that does not exist',
      change: (object) => JSON.stringify(object).replace('"revisionHistoryLimit"', '"bogus"'),
      message: 'bogus',
    },
    {
      because: 'a pod that is not restricted',
      change: (object) =>
        JSON.stringify(object).replaceAll('"runAsNonRoot":true', '"runAsNonRoot":false'),
      message: 'runAsNonRoot',
    },
  ])('notices $because', async ({ change, message }) => {
    const { objects } = await render({})
    const deployment = objects.find(({ kind }) => kind === 'Deployment')
    const text = deployment ? change(deployment) : ''
    const apply = ['apply', '--server-side', '--dry-run=server', '--validate=strict']
    expect((await kubectl([...apply, '--filename', '-'], text)).stderr).toContain(message)
  })
})
