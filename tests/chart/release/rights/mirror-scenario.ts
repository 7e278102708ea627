import { expect, onTestFinished } from 'vitest'
import { BareRemote } from '../../../../packages/git/src/testing/bare-remote.ts'
import type { Release } from './released-processes.ts'

const namespace = 'agents'

function named(kind: string, name: string, spec: object) {
  return {
    apiVersion: 'gitops.proompteng.ai/v1alpha1',
    kind,
    metadata: { name, ...(kind !== 'ClusterWatchRule' && { namespace }) },
    spec,
  }
}

/** Uses all four kinds, with a key that the operator creates, credentials and known hosts. */
export async function driveMirror({ create, kubectl }: Release): Promise<void> {
  const remote = await BareRemote.create()
  onTestFinished(() => remote.remove())
  const push = { commitWindow: '50ms', maxWindow: '500ms' }
  const rule = { resources: ['configmaps'], excludeNames: ['kube-root-ca.crt'] }
  await create(
    {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mirrored', namespace } },
      data: { a: '1' },
    },
    {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hosts', namespace } },
      data: { known_hosts: '127.0.0.1 ssh-ed25519 AAAA' },
    },
    {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace } },
      stringData: { 'ssh-privatekey': 'none' },
    },
    named('GitProvider', 'repository', { url: remote.url, allowedBranches: ['main'], push }),
    named('GitProvider', 'over-ssh', {
      url: 'ssh://git@127.0.0.1:1/repository.git',
      allowedBranches: ['main'],
      secretRef: { name: 'login' },
      knownHostsRef: { kind: 'ConfigMap', name: 'hosts', key: 'known_hosts' },
    }),
    named('GitTarget', 'mirror', {
      providerRef: { name: 'repository' },
      branch: 'main',
      path: 'cluster',
      allowClusterRules: true,
      encryption: { provider: 'sops', secretRef: { name: 'age' }, autoCreate: true },
    }),
    named('WatchRule', 'rule', { targetRef: { name: 'mirror' }, rules: [rule] }),
    named('ClusterWatchRule', 'cluster-rule', {
      targetRef: { namespace, name: 'mirror' },
      rules: [{ ...rule, scope: 'Namespaced' }],
    }),
  )
  const files = () => remote.git('ls-tree', '-r', '--name-only', 'main')
  await expect.poll(files, { timeout: 180_000, interval: 500 }).toContain('configmaps/mirrored')
  const wait = ['wait', '--timeout=180s']
  await kubectl([...wait, '--for=condition=Ready=false', 'gitprovider/over-ssh'])
  // A repeated event is counted, which needs another permission.
  const provider = { url: remote.url, allowedBranches: ['main'], push }
  const place = { branch: 'main', path: 'passing' }
  await create(named('GitTarget', 'dependent', { providerRef: { name: 'passing' }, ...place }))
  for (let times = 0; times < 3; times += 1) {
    await kubectl([...wait, '--for=condition=Validated=false', 'gittarget/dependent'])
    await create(named('GitProvider', 'passing', provider))
    await kubectl([...wait, '--for=condition=Validated=true', 'gittarget/dependent'])
    await kubectl(['delete', 'gitprovider', 'passing'])
  }
}
