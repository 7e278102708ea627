import { createKubeClient, type KubeClient } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chart, render } from '../../support/chart/render.ts'
import {
  type AuthorityServer,
  bestAuthority,
  startAuthority,
} from '../../support/testbed/authority.ts'
import { connectionTo } from '../../support/testbed/server.ts'
import { runTool } from '../../support/tools/run-tool.ts'

const verbs = [
  ...['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
  // Verbs that apply to permissions rather than objects.
  ...['bind', 'escalate', 'impersonate'],
]
const groups = ['agents', 'approvals', 'artifacts', 'budgets', 'orchestration', 'schedules']
const ours = new RegExp(
  `\\.(${[...groups, 'security', 'signals', 'tools', 'workspaces'].join('|')})\\.proompteng\\.ai$`,
)

interface Resource {
  readonly group: string
  readonly resource: string
  readonly subresource?: string
}

/** `pods/log`, `jobs.batch/status` */
function nameOf({ group, resource, subresource }: Resource) {
  return `${resource}${group && `.${group}`}${subresource ? `/${subresource}` : ''}`
}

/** All permissions of the account in the namespace, as verbs by resource. Anything that is not listed is forbidden. */
type Rights = Readonly<Record<string, string>>

const watched = 'list watch'
const read = 'get list watch'

/**
 * Schedules are read before each of their runs is created. A decision is created in a dry run only, to see whether the
 * API server refuses forged ones.
 */
const beyondWatching: Rights = {
  'agentruns.agents.proompteng.ai': 'get list watch create patch delete',
  'orchestrationruns.orchestration.proompteng.ai': 'get list watch create patch delete',
  'toolruns.tools.proompteng.ai': 'get list watch create patch delete',
  'implementationspecs.agents.proompteng.ai': 'get list watch create patch',
  'approvaldecisions.approvals.proompteng.ai': 'list watch create',
  'approvalrequests.approvals.proompteng.ai': 'get list watch create patch',
  'schedules.schedules.proompteng.ai': read,
  'signaldeliveries.signals.proompteng.ai': 'list watch delete',
}

/** Permissions of every account: to review its own identity and access. */
const everybody: Rights = {
  'selfsubjectaccessreviews.authorization.k8s.io': 'create',
  'selfsubjectrulesreviews.authorization.k8s.io': 'create',
  'selfsubjectreviews.authentication.k8s.io': 'create',
}

const expected: Readonly<Record<string, (kinds: readonly string[]) => Rights>> = {
  'agents-sa': () => ({}),
  'agents-controllers': (kinds) => ({
    ...Object.fromEntries(
      kinds
        .filter((kind) => !kind.endsWith('.gitops.proompteng.ai'))
        .flatMap((kind) => [
          [kind, beyondWatching[kind] ?? watched],
          [`${kind}/status`, 'update'],
        ]),
    ),
    'jobs.batch': 'get list watch create delete',
    configmaps: 'get list watch create delete',
    secrets: 'get list watch create patch delete',
    persistentvolumeclaims: 'get list watch create delete',
    pods: watched,
    'pods/log': 'get',
    events: 'create patch',
    'leases.coordination.k8s.io': 'create',
  }),
  'agents-gittarget': () => ({
    ...Object.fromEntries(
      ['gitproviders', 'gittargets', 'watchrules', 'clusterwatchrules'].flatMap((kind) => [
        [`${kind}.gitops.proompteng.ai`, watched],
        [`${kind}.gitops.proompteng.ai/status`, 'update'],
      ]),
    ),
    secrets: read,
    configmaps: read,
    namespaces: watched,
    'customresourcedefinitions.apiextensions.k8s.io': watched,
    events: 'create patch',
    'leases.coordination.k8s.io': 'create',
  }),
  'agents-runner': () => ({}),
  'agents-test': () => ({}),
}

/** Permissions for single names, which a check without a name does not find. */
const named: Readonly<Record<string, readonly string[]>> = {
  'agents-sa': ['get leases.coordination.k8s.io agents-controllers'],
  'agents-controllers': ['get', 'update'].map(
    (verb) => `${verb} leases.coordination.k8s.io agents-controllers`,
  ),
  'agents-gittarget': ['get', 'update'].map(
    (verb) => `${verb} leases.coordination.k8s.io agents-gittarget`,
  ),
  'agents-runner': [],
  'agents-test': ['get customresourcedefinitions.apiextensions.k8s.io agents.agents.proompteng.ai'],
}

describe(`on the ${bestAuthority} API server`, () => {
  let server: AuthorityServer
  let client: KubeClient
  let served: readonly Resource[]

  beforeAll(async () => {
    server = await startAuthority(bestAuthority)
    client = createKubeClient(connectionTo(server.url, server.caPem, server.adminToken))
    const kubectl = async (args: readonly string[], stdin = '') => {
      const options = { kubeconfig: server.kubeconfigPath, stdin, timeoutMs: 120_000 }
      const { code, stderr } = await runTool(['kubectl', '1.36'], args, options)
      expect([code, stderr]).toEqual([0, ''])
    }
    await kubectl(['create', 'namespace', 'agents'])
    await kubectl(['create', '--filename', `${chart}/crds`])
    await kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=120s'])
    const { manifest, errors } = await render(
      {
        controllers: { enabled: true },
        gitTargetController: { enabled: true },
        runnerServiceAccount: { create: true },
        tests: { enabled: true, rbac: false },
      },
      { args: ['--no-hooks'] },
    )
    expect(errors).toBe('')
    await kubectl(['create', '--filename', '-'], manifest)
    served = await resourcesOf(client)
    expect(served.map(nameOf)).toEqual(
      expect.arrayContaining([
        'pods/exec',
        'deployments.apps/scale',
        'agents.agents.proompteng.ai',
      ]),
    )
  })

  afterAll(async () => {
    client?.close()
    await server?.stop()
  })

  const may = async (
    account: string,
    verb: string,
    { group, resource, subresource }: Resource,
    { namespace, name }: { readonly namespace: string; readonly name?: string },
  ) => {
    const { allowed } = await client.reviewAccess({
      user: `system:serviceaccount:agents:${account}`,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:agents', 'system:authenticated'],
      resourceAttributes: {
        verb,
        group,
        resource,
        namespace,
        ...(subresource !== undefined && { subresource }),
        ...(name !== undefined && { name }),
      },
    })
    return allowed
  }

  async function rightsIn(namespace: string, account: string): Promise<Rights> {
    const rights: Record<string, string> = {}
    for (const resource of served) {
      const answers = await Promise.all(
        verbs.map((verb) => may(account, verb, resource, { namespace })),
      )
      const allowed = verbs.filter((_, index) => answers[index])
      if (allowed.length > 0) rights[nameOf(resource)] = allowed.join(' ')
    }
    return rights
  }

  test.each(Object.keys(expected))('%s has exactly the expected permissions', async (account) => {
    const kinds = served
      .filter(({ subresource }) => !subresource)
      .map(nameOf)
      .filter((name) => ours.test(name))
    expect(kinds).toHaveLength(21)
    expect(await rightsIn('agents', account)).toEqual({
      ...everybody,
      ...expected[account]?.(kinds),
    })
    const byName = (named[account] ?? []).map((words) => words.split(' '))
    for (const [verb = '', full = '', name = ''] of byName) {
      const [resource = '', ...rest] = full.split('.')
      const target = { group: rest.join('.'), resource }
      expect([full, name, await may(account, verb, target, { namespace: 'agents', name })]).toEqual(
        [full, name, true],
      )
      expect(await may(account, verb, target, { namespace: 'agents', name: 'another' })).toBe(false)
    }
  })

  test.each(Object.keys(expected))('%s has no permission in another namespace', async (account) => {
    const rights = await rightsIn('default', account)
    // Cluster-scoped resources are the same in every namespace.
    const clusterWide = [
      ...Object.keys(everybody),
      ...['namespaces', 'customresourcedefinitions.apiextensions.k8s.io'],
      ...[
        'clusterwatchrules.gitops.proompteng.ai',
        'clusterwatchrules.gitops.proompteng.ai/status',
      ],
    ]
    expect(Object.keys(rights).filter((name) => !clusterWide.includes(name))).toEqual([])
  })
})

/** All resources with their subresources, each once regardless of its versions. */
async function resourcesOf(client: KubeClient): Promise<readonly Resource[]> {
  const read = async (path: string): Promise<unknown> => {
    const { bytes } = await client.request({ path, accept: 'application/json' })
    return JSON.parse(bytes.toString('utf8'))
  }
  const { groups: list } = (await read('/apis')) as {
    groups: { name: string; preferredVersion: { groupVersion: string } }[]
  }
  const places = [
    { group: '', path: '/api/v1' },
    ...list.map(({ name, preferredVersion }) => ({
      group: name,
      path: `/apis/${preferredVersion.groupVersion}`,
    })),
  ]
  const all = await Promise.all(
    places.map(async ({ group, path }) => {
      const { resources } = (await read(path)) as { resources: { name: string }[] }
      return resources.map(({ name }): Resource => {
        const [resource = '', subresource] = name.split('/', 2)
        return { group, resource, ...(subresource !== undefined && { subresource }) }
      })
    }),
  )
  return all.flat()
}
