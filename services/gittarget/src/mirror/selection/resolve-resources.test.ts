import type { ServedResource } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { type RuleTerms, resolveResources } from './resolve-resources.ts'
import { typeName } from './resource-type.ts'

function served(
  group: string,
  version: string,
  resource: string,
  namespaced = true,
): ServedResource {
  return {
    group,
    version,
    resource,
    kind: resource,
    namespaced,
    verbs: ['get', 'list', 'watch'],
    shortNames: [],
    categories: [],
    subresources: [],
  }
}

const server: readonly ServedResource[] = [
  served('', 'v1', 'configmaps'),
  served('', 'v1', 'secrets'),
  served('', 'v1', 'events'),
  served('', 'v1', 'namespaces', false),
  { ...served('', 'v1', 'bindings'), verbs: ['create'] },
  served('apps', 'v1', 'deployments'),
  served('autoscaling', 'v2', 'scalers'),
  served('autoscaling', 'v1', 'scalers'),
  served('events.k8s.io', 'v1', 'events'),
]

/** Custom resources with names that Kubernetes has too. */
const others: readonly ServedResource[] = [
  served('batch.example.dev', 'v1alpha1', 'jobs'),
  served('rent.example.dev', 'v1', 'leases'),
]

function terms(rest: Partial<RuleTerms> & Pick<RuleTerms, 'resources'>): RuleTerms {
  return {
    scope: 'Namespaced',
    operations: ['*'],
    ...rest,
  }
}

describe('resolveResources', () => {
  test.each<[Partial<RuleTerms> & Pick<RuleTerms, 'resources'>, string[], string]>([
    [{ resources: ['configmaps'] }, ['configmaps v1'], 'only one group serves it'],
    [
      { resources: ['deployments', 'configmaps'] },
      ['deployments.apps v1', 'configmaps v1'],
      'resources are combined',
    ],
    [
      { resources: ['scalers'] },
      ['scalers.autoscaling v2'],
      'the server prefers the first version',
    ],
    [
      { resources: ['scalers'], apiVersions: ['v1'] },
      ['scalers.autoscaling v1'],
      'the rule selects another',
    ],
    [
      { resources: ['scalers'], apiVersions: ['v3', 'v1', 'v2'] },
      ['scalers.autoscaling v1'],
      'the first served version is used',
    ],
    [
      { resources: ['events'], apiGroups: ['*'] },
      ['events v1', 'events.events.k8s.io v1'],
      'all groups are selected',
    ],
    [
      { resources: ['*'], apiGroups: ['', 'apps'] },
      ['configmaps v1', 'secrets v1', 'deployments.apps v1'],
      'noise is omitted',
    ],
    [
      { resources: ['*'], scope: 'Cluster' },
      ['namespaces v1'],
      'only cluster-scoped resources match',
    ],
  ])('%j is %j, because %s', (rest, expected) => {
    const { types, problems } = resolveResources(terms(rest), { served: server, encrypts: true })
    expect(types.map((type) => `${typeName(type)} ${type.version}`)).toEqual(expected)
    expect(problems).toEqual([])
  })

  test.each<[Partial<RuleTerms> & Pick<RuleTerms, 'resources'>, string, string]>([
    [{ resources: ['gadgets'] }, 'ResourceNotServed', 'it is not served'],
    [{ resources: ['bindings'] }, 'ResourceNotServed', 'it cannot be watched'],
    [{ resources: ['scalers'], apiVersions: ['v9'] }, 'ResourceNotServed', 'not in that version'],
    [{ resources: ['events'] }, 'ResourceAmbiguous', 'two groups serve it'],
    [{ resources: ['namespaces'] }, 'ScopeMismatch', 'it is cluster-scoped'],
    [{ resources: ['configmaps'], scope: 'Cluster' }, 'ScopeMismatch', 'it is namespaced'],
    [{ resources: ['secrets'] }, 'EncryptionRequired', 'Secrets are never written unencrypted'],
    [{ resources: ['*'], apiGroups: ['ap'] }, 'ResourceNotServed', 'the group does not exist'],
    [{ resources: ['*'], apiGroups: ['events.k8s.io'] }, 'ResourceNotServed', 'all of it is noise'],
  ])('%j is reported as %s, because %s', (rest, reason) => {
    const wanted = terms({ ...rest, resources: [...rest.resources] })
    const alone = resolveResources(wanted, { served: server, encrypts: false })
    expect(alone.problems.map((problem) => problem.reason)).toEqual([reason])
    expect(alone.types).toEqual([])
    const { apiVersions: _version, apiGroups: _group, ...others } = wanted
    const { types } = resolveResources(
      { ...others, scope: 'Namespaced', resources: [...rest.resources, 'deployments'] },
      { served: server, encrypts: false },
    )
    // A problem with one resource does not affect the others.
    expect(types.map(typeName)).toContain('deployments.apps')
  })

  test.each<[Partial<RuleTerms> & Pick<RuleTerms, 'resources'>, RegExp, string]>([
    [{ resources: ['deployment'] }, /plural name: deployments\)$/, 'it is a kind'],
    [{ resources: ['deploy'] }, /plural name: deployments\)$/, 'it is a short name'],
    [
      { resources: ['deploy'], apiGroups: [''] },
      /does not serve deploy yet$/,
      'it is a short name in another group',
    ],
    [
      { resources: ['jobs'], apiVersions: ['v1alpha1'] },
      /does not serve jobs\.batch yet; to mirror jobs of batch\.example\.dev, set apiGroups$/,
      'who may read Jobs may not read those of another group',
    ],
    [
      { resources: ['leases'] },
      /does not serve leases\.coordination\.k8s\.io yet; to mirror leases of rent\.example\.dev,/,
      'the group of Kubernetes is not served',
    ],
    [{ resources: ['namespaces'] }, /ClusterWatchRule/, 'only that can mirror it'],
    [{ resources: ['secrets'] }, /spec\.encryption/, 'the field is missing'],
  ])('the message for %j is %s, because %s', (rest, message) => {
    const deployments = { ...served('apps', 'v1', 'deployments'), kind: 'Deployment' }
    const { types, problems } = resolveResources(terms(rest), {
      served: [
        ...server,
        { ...deployments, shortNames: ['deploy'] },
        served('batch', 'v1', 'jobs'),
        ...others,
      ],
      encrypts: false,
    })
    expect(problems[0]?.message).toMatch(message)
    expect(types).toEqual([])
  })

  test('a resource with a name of Kubernetes is selected by its group', () => {
    const { types, problems } = resolveResources(
      terms({
        resources: ['jobs', 'leases'],
        apiGroups: ['batch.example.dev', 'rent.example.dev'],
      }),
      { served: [...server, ...others], encrypts: false },
    )
    expect(types.map(typeName)).toEqual(['jobs.batch.example.dev', 'leases.rent.example.dev'])
    expect(problems).toEqual([])
  })
})
