import { type ConfigMap, ConfigMapKind } from '@agents/kube'
import { sanitize } from '../../services/gittarget/src/document/sanitize.ts'
import { writeManifest } from '../../services/gittarget/src/document/write-manifest.ts'
import type { Team } from '../gittarget/test-bed.ts'
import { until } from '../status-contract/server.ts'

type Files = Readonly<Record<string, string>>

/** What the branch must hold of the team's ConfigMaps: everything, and nothing else. */
export async function configMapFiles(team: Team): Promise<Files> {
  const { namespace } = team
  const { items } = await team.client.list<ConfigMap>(ConfigMapKind, { namespace })
  const own = items.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
  const entries = own.map((object) => {
    const full = { ...object, apiVersion: 'v1', kind: 'ConfigMap' }
    return [team.path('configmaps', object.metadata.name), writeManifest(sanitize(full))] as const
  })
  return sorted(Object.fromEntries(entries))
}

export async function mirroredConfigMaps(team: Team, branch = 'main'): Promise<Files> {
  const all = Object.entries(await team.files(branch))
  return sorted(Object.fromEntries(all.filter(([path]) => path.includes('/configmaps/'))))
}

const sorted = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Waits until the branch equals the cluster. How long is the test's own limit. */
export async function untilEqual(team: Team, branch = 'main'): Promise<void> {
  await until(async () => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    const wanted = await configMapFiles(team)
    // It may be away, or be made anew.
    const found = await mirroredConfigMaps(team, branch).catch(() => ({}))
    return JSON.stringify(wanted) === JSON.stringify(found)
  })
}
