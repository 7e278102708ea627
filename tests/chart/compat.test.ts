import { type ChartSnapshot, compareCharts, type Finding, readBaselines } from '@agents/chart-tools'
import { beforeAll, describe, expect, test } from 'vitest'
import { chart } from '../support/chart/render.ts'
import {
  adding,
  both,
  type Change,
  container,
  inDefinition,
  inEverything,
  inProfile,
  inProfileCalled,
  inValues,
  nothingDecided,
  schema,
  version,
  without,
} from './compat-changes.ts'

let released: ChartSnapshot

beforeAll(async () => {
  const [baseline] = await readBaselines(chart)
  if (baseline === undefined) throw new Error('no baseline found')
  released = baseline.snapshot
})

describe('chart-compat', () => {
  test('finds nothing between a chart and itself', () => {
    expect(compareCharts(released, released, nothingDecided)).toEqual([])
  })

  test.each<{ rule: Finding['rule']; because: string; change: Change; subject: string }>([
    {
      rule: 'C1',
      because: 'a Service is renamed',
      change: inProfile('Service', ['metadata', 'name'], 'agents-api', 'agents-grpc'),
      subject: 'Service agents/agents-grpc',
    },
    {
      rule: 'C1',
      because: 'a Deployment is removed',
      change: without('controllers', 'agents-controllers'),
      subject: 'apps/Deployment agents/agents-controllers',
    },
    {
      rule: 'C2',
      because: 'an object is added by default',
      change: adding,
      subject: 'ConfigMap agents/new',
    },
    {
      rule: 'C3',
      because: 'a selector changes',
      change: inProfile(
        'Deployment',
        ['spec', 'selector', 'matchLabels', 'version'],
        '2',
        'agents',
      ),
      subject: 'apps/Deployment agents/agents spec.selector',
    },
    {
      rule: 'C3',
      because: 'a binding refers to another role',
      change: inProfile('RoleBinding', ['roleRef', 'name'], 'admin', 'agents-controllers'),
      subject: 'rbac.authorization.k8s.io/RoleBinding agents/agents-controllers roleRef',
    },
    {
      rule: 'C3',
      because: 'pods lose the label that their Service selects',
      change: inProfile(
        'Deployment',
        ['spec', 'template', 'metadata', 'labels', 'app.kubernetes.io/name'],
        'other',
        'agents',
      ),
      subject: 'Service agents/agents spec.selector',
    },
    {
      rule: 'C3',
      because: 'a Service gets another type',
      change: inProfile('Service', ['spec', 'type'], 'NodePort', 'agents'),
      subject: 'Service agents/agents spec.type',
    },
    {
      rule: 'C3',
      because: 'a disruption budget selects other pods',
      change: inEverything(
        'PodDisruptionBudget',
        ['spec', 'selector', 'matchLabels'],
        {},
        'agents',
      ),
      subject: 'policy/PodDisruptionBudget agents/agents spec.selector',
    },
    {
      rule: 'C3',
      because: 'a network policy selects other pods',
      change: inEverything('NetworkPolicy', ['spec', 'podSelector'], {}, 'agents'),
      subject: 'networking.k8s.io/NetworkPolicy agents/agents spec.podSelector',
    },
    {
      rule: 'C3',
      because: 'the template of a persistent Job changes',
      change: both(
        inEverything('Job', ['metadata', 'annotations'], {}),
        inEverything('Job', ['spec', 'template', 'spec', 'restartPolicy'], 'OnFailure'),
      ),
      subject: 'batch/Job agents/agents-crds spec.template',
    },
    {
      rule: 'C4',
      because: 'a container is renamed',
      change: inProfile('Deployment', [...container, 'name'], 'main', 'agents'),
      subject: 'apps/Deployment agents/agents container control-plane',
    },
    {
      rule: 'C4',
      because: 'a port moves',
      change: inProfile('Deployment', [...container, 'ports', 0, 'containerPort'], 9000, 'agents'),
      subject: 'apps/Deployment agents/agents container control-plane port http',
    },
    {
      rule: 'C4',
      because: 'the port of a Service changes',
      change: inProfile('Service', ['spec', 'ports', 0, 'port'], 8080, 'agents'),
      subject: 'Service agents/agents port http',
    },
    {
      rule: 'C4',
      because: 'a port of a container is renamed',
      change: inProfile('Deployment', [...container, 'ports', 0, 'name'], 'web', 'agents'),
      subject: 'apps/Deployment agents/agents container control-plane port http',
    },
    {
      rule: 'C4',
      because: 'a port of a Service is renamed',
      change: inProfile('Service', ['spec', 'ports', 0, 'name'], 'web', 'agents'),
      subject: 'Service agents/agents port http',
    },
    {
      rule: 'C4',
      because: 'the type of a probe changes',
      change: inProfile(
        'Deployment',
        [...container, 'livenessProbe'],
        { grpc: { port: 1 } },
        'agents',
      ),
      subject: 'apps/Deployment agents/agents container control-plane livenessProbe',
    },
    {
      rule: 'C4',
      because: 'the path of a probe changes',
      change: inProfile(
        'Deployment',
        [...container, 'readinessProbe', 'httpGet', 'path'],
        '/',
        'agents',
      ),
      subject: 'apps/Deployment agents/agents container control-plane readinessProbe',
    },
    {
      rule: 'C4',
      because: 'pods run as another user',
      change: inProfile(
        'Deployment',
        ['spec', 'template', 'spec', 'serviceAccountName'],
        'x',
        'agents',
      ),
      subject: 'apps/Deployment agents/agents serviceAccountName',
    },
    {
      rule: 'C6',
      because: 'an account gets more permissions',
      change: inProfile(
        'Role',
        ['rules', '+'],
        { apiGroups: [''], resources: ['secrets'], verbs: ['deletecollection'] },
        'agents-controllers',
      ),
      subject: 'agents-controllers may deletecollection secrets in agents',
    },
    {
      rule: 'C6',
      because: 'a subject gets a cluster role',
      change: (snapshot) => ({
        ...snapshot,
        profiles: {
          ...snapshot.profiles,
          controllers: [
            ...(snapshot.profiles.controllers ?? []),
            {
              apiVersion: 'rbac.authorization.k8s.io/v1',
              kind: 'ClusterRoleBinding',
              metadata: { name: 'x' },
              roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
              subjects: [{ kind: 'Group', name: 'everybody' }],
            },
          ],
        },
      }),
      subject:
        'Group everybody may use the permissions of ClusterRole cluster-admin, which the chart does not define, in every namespace',
    },
    {
      rule: 'C6',
      because: 'a path of the API server is opened',
      change: inProfileCalled('cluster')(
        'ClusterRole',
        ['rules', '+'],
        { nonResourceURLs: ['/debug'], verbs: ['get'] },
        'agents-agents-controllers',
      ),
      subject: 'agents-controllers may get /debug in every namespace',
    },
    {
      rule: 'C6',
      because: 'users with a cluster role get more permissions',
      change: inEverything(
        'ClusterRole',
        ['rules', '+'],
        { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
        'agents-agents-view',
      ),
      subject: 'view (aggregated) may get secrets',
    },
    {
      rule: 'C6',
      because: 'namespaced permissions become cluster-wide',
      change: (snapshot) => ({
        ...snapshot,
        profiles: {
          ...snapshot.profiles,
          controllers: (snapshot.profiles.controllers ?? []).map((object) =>
            object.kind.startsWith('Role') && object.metadata.name === 'agents-controllers'
              ? JSON.parse(
                  JSON.stringify(object).replaceAll(/"(Role|RoleBinding)"/g, '"Cluster$1"'),
                  (key, value) => (key === 'namespace' ? undefined : value),
                )
              : object,
          ),
        },
      }),
      subject: 'agents-controllers may get secrets in every namespace',
    },
    {
      rule: 'C8',
      because: 'a value is removed',
      change: inValues(['properties', 'grpc', 'properties', 'port'], undefined),
      subject: 'grpc.port',
    },
    {
      rule: 'C8',
      because: 'a value accepts less',
      change: inValues(['properties', 'kubernetesApi', 'properties', 'port', 'type'], 'integer'),
      subject: 'kubernetesApi.port',
    },
    {
      rule: 'C8',
      because: 'the maximum of a number decreases',
      change: inValues(['properties', 'grpc', 'properties', 'port', 'maximum'], 1024),
      subject: 'grpc.port',
    },
    {
      rule: 'C8',
      because: 'a schema that several values share accepts less',
      change: inValues(['definitions', 'envSecret', 'required', '+'], 'key'),
      subject: 'env.secrets[].key',
    },
    {
      rule: 'C8',
      because: 'custom keys are no longer accepted',
      change: inValues(['properties', 'podLabels', 'additionalProperties'], false),
      subject: 'podLabels.*',
    },
    {
      rule: 'C8',
      because: 'an enumeration gets smaller',
      change: inValues(['properties', 'logging', 'properties', 'level', 'enum'], ['info']),
      subject: 'logging.level',
    },
  ])('$rule: $because', ({ rule, change, subject }) => {
    const found = compareCharts(released, change(released), nothingDecided)
    expect(found.map((finding) => `${finding.rule} ${finding.subject}`)).toContain(
      `${rule} ${subject}`,
    )
  })

  test.each<{ because: string; change: Change }>([
    {
      because: 'a new variable',
      change: inProfile(
        'Deployment',
        [...container, 'env', '+'],
        { name: 'NEW', value: 'x' },
        'agents',
      ),
    },
    {
      because: 'a new optional field, with its own limits and required fields',
      change: inDefinition([...schema, 'properties', 'fresh'], {
        type: 'object',
        required: ['a'],
        properties: { a: { type: 'string', maxLength: 5, enum: ['x'] } },
      }),
    },
    {
      because: 'another version besides the stored one',
      change: inDefinition(['spec', 'versions', '+'], { name: 'v1', served: true, storage: false }),
    },
    {
      because: 'a removed rule, another short name, selectable fields, a scale subresource',
      change: [
        inDefinition([...schema, 'x-kubernetes-validations'], []),
        inDefinition(['spec', 'names', 'shortNames', '+'], 'run'),
        inDefinition([...version, 'selectableFields'], [{ jsonPath: '.spec.priority' }]),
        inDefinition([...version, 'subresources', 'scale'], { specReplicasPath: '.spec.x' }),
        inDefinition([...version, 'deprecated'], true),
      ].reduce(both),
    },
    {
      because: 'a wider limit',
      change: inDefinition([...schema, 'properties', 'parameters', 'maxProperties'], 100_000),
    },
    {
      because: 'a new value',
      change: inValues(['properties', 'grpc', 'properties', 'fresh'], { type: 'string' }),
    },
    {
      because: 'another image',
      change: inProfile('Deployment', [...container, 'image'], 'example.com/agents:2', 'agents'),
    },
    {
      because: 'another release, whose processes get its image as a variable',
      change: (snapshot) => {
        const text = JSON.stringify(snapshot.profiles)
        const [image = ''] = /ghcr\.io\/[^"]+\/agents:[^"@]+/.exec(text) ?? []
        return { ...snapshot, profiles: JSON.parse(text.replaceAll(image, `${image}-next`)) }
      },
    },
    {
      because: 'another template of a hook that is recreated each time',
      change: inEverything('Job', ['spec', 'template', 'spec', 'restartPolicy'], 'OnFailure'),
    },
  ])('lets pass: $because', ({ change }) => {
    expect(compareCharts(released, change(released), nothingDecided)).toEqual([])
  })

  test('accepts what was decided', () => {
    const gone = inValues(['properties', 'grpc', 'properties', 'port'], undefined)
    const after = gone(
      inProfile(
        'Deployment',
        [...container, 'env', 0],
        { name: 'NEW' },
        'agents',
      )(adding(released)),
    )
    const found = compareCharts(released, after, nothingDecided)
    expect(found.map(({ rule }) => rule)).toEqual(['C2', 'C5', 'C8'])
    const decided = {
      additions: ['ConfigMap agents/new'],
      removedValues: ['grpc.port'],
      accepted: found.filter(({ rule }) => rule === 'C5'),
    }
    expect(compareCharts(released, after, decided)).toEqual([])
  })
})
