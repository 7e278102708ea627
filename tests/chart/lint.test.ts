import { beforeAll, describe, expect, test } from 'vitest'
import { type Render, render, valuesFile } from '../support/chart/render.ts'
import { lint } from './lint.ts'
import { changed } from './mutate.ts'

let profile: Render
beforeAll(async () => {
  profile = await render(valuesFile('values-ci.yaml'))
}, 60_000)

describe('the lints', () => {
  const container = ['spec', 'template', 'spec', 'containers', 0]
  const template = ['spec', 'template']

  test.each<{ lint: string; kind: string; path: (string | number)[]; value: unknown }>([
    {
      lint: 'variables once',
      kind: 'Deployment',
      path: [...container, 'env', '+'],
      value: { name: 'PORT', value: '1' },
    },
    {
      lint: 'no scientific notation',
      kind: 'Deployment',
      path: [...container, 'env', '+'],
      value: { name: 'NEW', value: '2.592e+06' },
    },
    {
      lint: 'legal annotations and labels',
      kind: 'Deployment',
      path: [...template, 'metadata', 'annotations'],
      value: { 'checksum/secret/name': 'x' },
    },
    {
      lint: 'legal annotations and labels',
      kind: 'Deployment',
      path: [...template, 'metadata', 'labels', 'team'],
      value: 'has space',
    },
    {
      lint: 'text in names, annotations and labels',
      kind: 'Deployment',
      path: ['metadata', 'annotations'],
      value: { wave: 1 },
    },
    {
      lint: 'text in names, annotations and labels',
      kind: 'Service',
      path: ['metadata', 'namespace'],
      value: 123,
    },
    { lint: 'a namespace', kind: 'Deployment', path: ['metadata', 'namespace'], value: undefined },
    {
      lint: 'names of 63 characters',
      kind: 'Deployment',
      path: ['metadata', 'name'],
      value: 'x'.repeat(64),
    },
    { lint: 'each object once', kind: 'Service', path: ['metadata', 'name'], value: 'agents' },
    {
      lint: 'frozen selectors',
      kind: 'Service',
      path: ['spec', 'selector', 'version'],
      value: '1',
    },
    {
      lint: 'one Deployment for a selector',
      kind: 'Service',
      path: ['spec', 'selector'],
      value: { 'app.kubernetes.io/instance': 'agents' },
    },
    {
      lint: 'no traffic to hooks',
      kind: 'Pod',
      path: ['metadata', 'labels', 'app.kubernetes.io/name'],
      value: 'agents',
    },
    {
      lint: 'restricted pods',
      kind: 'Deployment',
      path: [...template, 'spec', 'hostNetwork'],
      value: true,
    },
    ...[
      { path: ['securityContext', 'runAsUser'], value: 0 },
      { path: ['securityContext', 'privileged'], value: true },
      { path: ['securityContext', 'capabilities', 'add'], value: ['SYS_ADMIN'] },
      { path: ['securityContext', 'seccompProfile'], value: { type: 'Unconfined' } },
      { path: ['ports', '+'], value: { containerPort: 1, hostPort: 1 } },
      { path: ['startupProbe', 'httpGet', 'host'], value: '127.0.0.1' },
    ].map(({ path, value }) => ({
      lint: 'restricted pods',
      kind: 'Deployment',
      path: [...container, ...path],
      value,
    })),
    {
      lint: 'ports that exist',
      kind: 'Service',
      path: ['spec', 'ports', 0, 'targetPort'],
      value: 'nowhere',
    },
    {
      lint: 'ports that probes find',
      kind: 'Deployment',
      path: [...container, 'readinessProbe', 'httpGet', 'port'],
      value: 'nowhere',
    },
    {
      lint: 'accounts that exist',
      kind: 'Deployment',
      path: [...template, 'spec', 'serviceAccountName'],
      value: 'nobody',
    },
    { lint: 'roles that exist', kind: 'RoleBinding', path: ['roleRef', 'name'], value: 'none' },
    {
      lint: 'no wildcards in roles',
      kind: 'Role',
      path: ['rules', '+'],
      value: { apiGroups: ['*'], resources: ['x'], verbs: ['get'] },
    },
    {
      lint: 'no dangerous verbs',
      kind: 'Role',
      path: ['rules', '+'],
      value: { apiGroups: [''], resources: ['x'], verbs: ['escalate'] },
    },
    {
      lint: 'Secrets listed by those alone who watch them',
      kind: 'ClusterRole',
      path: ['rules', '+'],
      value: { apiGroups: [''], resources: ['secrets'], verbs: ['list'] },
    },
    {
      lint: 'Secrets listed by those alone who watch them',
      kind: 'ClusterRole',
      path: ['rules', '+'],
      value: { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'watch'] },
    },
    {
      lint: 'Secrets listed by those alone who watch them',
      kind: 'ClusterRole',
      path: ['rules', '+'],
      value: { apiGroups: [''], resources: ['secrets'], resourceNames: ['a'], verbs: ['list'] },
    },
    { lint: 'pinned images', kind: 'Deployment', path: [...container, 'image'], value: 'agents' },
  ])('notice: $lint', ({ lint: name, kind, path, value }) => {
    expect(
      lint(changed(profile.objects, kind, path, value)).map((found) => found.split(':')[0]),
    ).toContain(name)
  })
})
