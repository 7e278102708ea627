import { at, identity, listAt, type RenderedObject, readManifest } from '@agents/chart-tools'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chart, find, render, valuesFile } from '../../support/chart/render.ts'
import { containersOf } from '../../support/chart/workload.ts'
import {
  type Authority,
  type AuthorityServer,
  authorities,
  bestAuthority,
  startAuthority,
} from '../../support/testbed/authority.ts'
import { isFull } from '../../support/tier.ts'
import { runTool } from '../../support/tools/run-tool.ts'
import { argoSync } from './argo-sync.ts'

function digest(letter: string) {
  return `sha256:${letter.repeat(64)}`
}

const base = {
  ...valuesFile('ci/controllers-values.yaml'),
  argocd: { syncWaves: { enabled: true } },
}
const added = 'workspaces.workspaces.proompteng.ai'

/** The contents of a commit: the chart's objects and its definitions. */
async function commit(values: unknown): Promise<readonly RenderedObject[]> {
  const { objects, errors } = await render(values, { args: ['--include-crds'] })
  expect(errors).toBe('')
  return objects
}

const servers: readonly Authority[] = isFull ? authorities : [bestAuthority]

describe.each(servers)('synced like Argo CD does, on the %s API server', (authority) => {
  let server: AuthorityServer

  beforeAll(async () => {
    server = await startAuthority(authority)
    await kubectl(['create', 'namespace', 'agents'])
  })

  afterAll(() => server?.stop())

  async function kubectl(args: readonly string[], stdin = ''): Promise<string> {
    const result = await runTool(['kubectl', '1.36'], args, {
      kubeconfig: server.kubeconfigPath,
      timeoutMs: 240_000,
      stdin,
    })
    expect([result.code, result.stderr]).toEqual([0, ''])
    return result.stdout
  }

  async function seen(): Promise<unknown> {
    const kinds =
      'deployments,services,serviceaccounts,roles,rolebindings,networkpolicies,poddisruptionbudgets,clusterroles'
    const { items } = JSON.parse(
      await kubectl(['get', kinds, '--namespace', 'agents', '--output', 'json']),
    )
    return (items as readonly RenderedObject[])
      .filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/instance'] === 'agents')
      .map((object) => ({
        name: identity(object),
        selector: at(object, 'spec', 'selector'),
        rules: object.rules,
        containers: containersOf(object),
      }))
  }

  test('a reverted commit restores the previous state, and keeps every custom resource', async () => {
    const older = (await commit(base)).filter(({ metadata }) => metadata.name !== added)
    const waves = await argoSync(older, kubectl)
    expect([...waves.keys()].sort((a, b) => a - b)).toEqual([-2, 0])
    expect(waves.get(-2)).toEqual(
      new Set([
        ...['ServiceAccount', 'Role', 'RoleBinding'],
        ...['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
      ]),
    )
    const before = await seen()

    const newer = await commit({
      ...base,
      image: { digest: digest('b') },
      networkPolicy: { enabled: true },
      podDisruptionBudget: { enabled: true },
      rolloutChecksums: { enabled: true, secrets: ['jangar-db-app'] },
      rbac: { aggregateClusterRoles: { enabled: true } },
      versionControlProvider: {
        enabled: true,
        spec: {
          provider: 'github',
          auth: { method: 'token', token: { secretRef: { name: 'github-token', key: 'token' } } },
        },
      },
    })
    const later = await argoSync(newer, kubectl)
    expect(later.get(1)).toEqual(new Set(['VersionControlProvider']))
    const during = JSON.stringify(await seen())
    for (const word of [digest('b'), 'NetworkPolicy', 'PodDisruptionBudget']) {
      expect(during).toContain(word)
    }
    const sample = `${chart}/examples/workspace-sample.yaml`
    await kubectl(['create', '--namespace', 'agents', '--filename', sample])

    await argoSync(older, kubectl)
    expect(await seen()).toEqual(before)
    const left = await kubectl(['get', added, '--namespace', 'agents', '--output', 'json'])
    expect(listAt(JSON.parse(left), 'items')).toHaveLength(1)
  })

  test('the annotation that protects definitions is the one that Argo CD evaluates', async () => {
    const objects = await commit(base)
    const definition = find(objects, 'CustomResourceDefinition', added)
    const unprotected = readManifest(JSON.stringify(definition).replace('Prune=false,', ''))
    expect(unprotected[0]?.metadata.annotations).toMatchObject({
      'helm.sh/resource-policy': 'keep',
    })
    const others = objects.filter(({ metadata }) => metadata.name !== added)
    await argoSync([...others, ...unprotected], kubectl)
    expect(await kubectl(['get', 'crd', '--output', 'name'])).toContain(added)
    await argoSync(others, kubectl)
    expect(await kubectl(['get', 'crd', '--output', 'name'])).not.toContain(added)
  })
})
