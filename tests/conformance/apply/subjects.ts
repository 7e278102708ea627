import type { ApiClient } from './api-client.ts'
import { builtinSubject } from './subject.ts'
import { widgets } from './widget.ts'

export const subjects = {
  widgets,
  configMaps: builtinSubject('core.v1.ConfigMap', ['', 'v1', 'configmaps']),
  deployments: builtinSubject(
    'apps.v1.Deployment',
    ['apps', 'v1', 'deployments'],
    [['spec'], ['metadata', 'labels']],
  ),
  pods: builtinSubject(
    'core.v1.Pod',
    ['', 'v1', 'pods'],
    [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
    ['tolerations', 'priority', 'preemptionPolicy'],
  ),
  services: builtinSubject(
    'core.v1.Service',
    ['', 'v1', 'services'],
    [['spec']],
    ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'],
  ),
}

/** Waits until a list at the path is answered. */
export async function served(client: ApiClient, path: string): Promise<void> {
  const deadline = performance.now() + 120_000
  for (;;) {
    const { code } = await client.send({ method: 'GET', path })
    if (code === 200) return
    if (performance.now() > deadline) throw new Error(`${path} is not served`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
